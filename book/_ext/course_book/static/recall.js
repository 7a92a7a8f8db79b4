// A recall box: draws questions from before by spaced repetition (schedule.js) and shows each as an ordinary exercise
// card.
// Nothing but this script is fetched until the box is opened; then the questions of the parts that are drawn from.
(() => {
  const { records, schedule, h, clock } = globalThis.__course;

  const day = (n) => (n <= 0 ? "today" : n === 1 ? "tomorrow" : `in ${n} days`);
  const ago = (n) =>
    n === 0 ? "today" : n === 1 ? "yesterday" : Number.isFinite(n) ? `${n} days ago` : "some time ago";

  function start(box) {
    const { card, parts } = JSON.parse(box.querySelector("script[type='application/json']").textContent);
    const keyOf = new Map(parts.flatMap(({ key, ids }) => ids.map((id) => [id, key])));
    const body = box.querySelector(".course-recall-body");
    const asked = new Set();
    let begun = false;

    const today = () => schedule.dayOf(clock().now, clock().offset);
    const dayOf = ({ at }) => schedule.dayOf(at, clock().offset);
    const stands = (id) => schedule.standing(records.exercise(id), records.recall(id), clock().now);
    const ordered = () =>
      schedule.order(
        [...keyOf.keys()].map((id) => ({ id, stands: stands(id) })),
        clock(),
      );
    const answered = () =>
      [...keyOf.keys()].map(records.recall).filter((kept) => kept && dayOf(kept) === today()).length;

    function refresh() {
      const due = ordered().filter(({ why }) => why === "due").length;
      const done = answered();
      box.querySelector(".course-recall-state").textContent =
        `${due ? `${due} due today` : "Nothing is due today"}${done ? `, ${done} answered here today` : ""}.`;
    }

    /** What the answer means for the next time. */
    function next(id, moved) {
      const now = stands(id);
      const back = `It comes back ${day(schedule.dueDay(now, clock().offset) - today())}, in box ${now.box}.`;
      return moved ? back : `It was not due, so it stays where it is. ${back}`;
    }

    async function show(id) {
      const before = stands(id);
      const { page, title, spec } = JSON.parse(await globalThis.__course.load(keyOf.get(id))).find(
        (each) => each.spec.id === id,
      );
      const place = h("div", { class: "course-widget" });
      const when = before ? `Box ${before.box}, last answered ${ago(today() - dayOf(before))}. ` : "";
      const from = h("p", {}, `${when}First asked in `, h("a", { href: globalThis.__course.home + page }, title), ".");
      const said = h("p", { class: "course-recall-next", role: "status" });
      const label = `Question ${asked.size + 1}`;
      const el = h(
        "section",
        { class: "course-recall-question", tabindex: -1, "aria-label": label },
        from,
        place,
        said,
      );
      asked.add(id);
      body.querySelector(".course-recall-list").append(el);
      await globalThis.__course.show(
        { state: { ...card, spec: { ...spec, id: records.AGAIN + id, passing: true } } },
        place,
      );
      el.dataset.question = id;
      return el;
    }

    async function open() {
      const all = ordered();
      const drawn = all.slice(0, schedule.first(all, answered()));
      const due = drawn.filter(({ why }) => why === "due").length;
      const told = drawn.length
        ? `${due || "None"} of these ${due > 1 ? "are" : "is"} due.`
        : "Nothing is left for today.";
      const keeps = records.kept()
        ? ""
        : " Your browser does not let this page keep anything, so it starts anew each time.";
      const end = h("p", { role: "status" });
      body.replaceChildren(
        h(
          "p",
          { class: "course-recall-why" },
          `${told} A right answer sends a question on, a wrong one back to box 1.${keeps}`,
        ),
        h("div", { class: "course-recall-list" }),
        h(
          "p",
          { class: "course-recall-buttons" },
          h("button", { type: "button", onclick: () => another(end) }, "Another"),
        ),
        end,
      );
      for (const { id } of drawn) await show(id);
    }

    const failed = (error) => `The question could not be loaded (${error.message}). Press again to try once more.`;
    async function another(end) {
      const drawn = ordered().find(({ id }) => !asked.has(id));
      end.textContent = drawn ? "" : "You have seen every question that can be asked here.";
      if (drawn)
        await show(drawn.id)
          .then((el) => el.focus())
          .catch((error) => {
            end.textContent = failed(error);
          });
    }

    box.addEventListener("course:tried", ({ detail: { id, correct } }) => {
      const own = id.slice(records.AGAIN.length);
      if (!id.startsWith(records.AGAIN) || !asked.has(own)) return;
      const before = stands(own);
      const { record, kept } = records.update("recall", own, () => schedule.after(before, correct, clock()));
      box.querySelector(`[data-question="${own}"] .course-recall-next`).textContent = kept
        ? next(own, record.at !== before?.at)
        : "Your browser does not keep this answer: the question may come back too early.";
    });
    box.addEventListener("toggle", async () => {
      if (!box.open || begun) return;
      begun = true;
      try {
        await open();
        box.dataset.ready = "1";
      } catch (error) {
        begun = false; // opened again, it tries again
        asked.clear();
        body.replaceChildren(h("p", { role: "status" }, failed(error)));
      }
    });
    globalThis.__course.onProgress(refresh);
    refresh();
    if (box.open) box.dispatchEvent(new Event("toggle"));
  }

  const boxes = () => document.querySelectorAll(".course-recall").forEach(start);
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", boxes);
  else boxes();
})();
