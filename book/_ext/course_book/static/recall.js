// A recall box: draws questions from before by spaced repetition (schedule.js) and shows each as an ordinary exercise card.
// Nothing but this script is fetched until the box is opened; then the questions of the parts that are drawn from.
(() => {
  const { records, schedule, h, clock } = globalThis.__course;

  const day = (n) => (n <= 0 ? "today" : n === 1 ? "tomorrow" : `in ${n} days`);
  const ago = (n) => (n === 0 ? "today" : n === 1 ? "yesterday" : Number.isFinite(n) ? `${n} days ago` : "some time ago");
  const list = (texts) => (texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`);

  function start(box) {
    const { card, parts } = JSON.parse(box.querySelector("script[type='application/json']").textContent);
    const partOf = new Map(parts.flatMap((part) => part.ids.map((id) => [id, part])));
    const state = box.querySelector(".course-recall-state");
    const body = box.querySelector(".course-recall-body");
    const asked = new Map(); // id → {why, stands at the draw, answered}
    let begun = false;

    const stands = (id) => schedule.standing(records.exercise(id), records.recall(id), Date.now());
    const ordered = () =>
      schedule.order(
        [...partOf].map(([id, { needed }]) => ({ id, needed, stands: stands(id) })),
        clock(),
      );
    const today = () => {
      const { now, offset } = clock();
      const here = schedule.dayOf(now, offset);
      return [...partOf.keys()].filter((id) => {
        const kept = records.recall(id);
        return kept && schedule.dayOf(kept.at, offset) === here;
      }).length;
    };

    function refresh() {
      const due = ordered().filter(({ why }) => why === "due").length;
      const done = today();
      const said = [due ? `${due} due today` : "Nothing is due today", ...(done ? [`${done} answered here today`] : [])];
      state.textContent = `${said.join(", ")}. ${done || due ? "" : "Try some anyway."}`;
    }

    /** Why these: said in words, for the reader can only trust a choice that is explained. */
    function reasons(drawn) {
      const are = (some) => ["One is", "Two are", "Three are"][some.length - 1];
      const of = (why) => drawn.filter((each) => each.why === why);
      const captions = (some) => list([...new Set(some.map(({ id }) => partOf.get(id).caption))]);
      const [due, needed, fresh] = [of("due"), of("needed"), of("new")];
      const said = [];
      if (due.length)
        said.push(`${are(due)} due: you answered ${due.length === 1 ? "it" : "them"} before, and the wait is over.`);
      if (needed.length) said.push(`${are(needed)} new to you, from what this chapter builds on: ${captions(needed)}.`);
      if (fresh.length) said.push(`${are(fresh)} new to you, from ${captions(fresh)}.`);
      if (!drawn.length) said.push(today() ? "You have answered your questions for today." : "Nothing is due today.");
      return said.join(" ");
    }

    /** What the answer means for the next time. */
    function next(id, before, correct) {
      const now = stands(id);
      const { offset } = clock();
      const wait = schedule.dueDay(now, offset) - schedule.dayOf(Date.now(), offset);
      const back = `It comes back ${day(wait)}`;
      if (!correct) return `${back}, in box 1.`;
      if (before && now.box > before.box) return `${back}: it has moved to box ${now.box}.`;
      return before && now.box === before.box && now.at === before.at
        ? `It was not due, so it stays in box ${now.box}. ${back}.`
        : `${back}, in box ${now.box}.`;
    }

    function origin({ id, why }, { page, title }) {
      const stood = asked.get(id).before;
      const { now, offset } = clock();
      const when =
        why === "due" || why === "early"
          ? `Box ${stood.box}, last answered ${ago(schedule.dayOf(now, offset) - schedule.dayOf(stood.at, offset))}. `
          : "";
      return [`${when}First asked in `, h("a", { href: globalThis.__course.home + page }, title), "."];
    }

    async function show(drawn) {
      asked.set(drawn.id, { before: stands(drawn.id) });
      const found = JSON.parse(await globalThis.__course.load(partOf.get(drawn.id).key)).find(({ spec }) => spec.id === drawn.id);
      const place = h("div", { class: "course-widget" });
      const said = h("p", { class: "course-recall-next", role: "status" });
      const el = h(
        "section",
        { class: "course-recall-question", tabindex: -1, "aria-label": `Question ${asked.size}` },
        h("p", { class: "course-recall-from" }, ...origin(drawn, found)),
        place,
        said,
      );
      body.querySelector(".course-recall-list").append(el);
      await globalThis.__course.show(
        { state: { ...card, spec: { ...found.spec, id: records.AGAIN + drawn.id, passing: true } } },
        place,
      );
      el.dataset.question = drawn.id;
      return el;
    }

    async function open() {
      const all = ordered();
      const drawn = all.slice(0, schedule.first(all, today()));
      body.replaceChildren(h("p", { role: "status" }, "Loading the questions…"));
      await Promise.all([...new Set(drawn.map(({ id }) => partOf.get(id).key))].map((key) => globalThis.__course.load(key)));
      const rule = `A right answer sends a question on: it comes back after ${list(schedule.DAYS.map(String))} days. After a wrong one it comes back tomorrow.`;
      const keeps = records.kept() ? "" : " Your browser does not let this page keep anything, so it starts anew each time.";
      const end = h("p", { class: "course-recall-end", role: "status" });
      body.replaceChildren(
        h("p", { class: "course-recall-why" }, `${reasons(drawn)} ${rule}${keeps}`),
        h("div", { class: "course-recall-list" }),
        h("div", { class: "course-recall-buttons" }, h("button", { type: "button", onclick: () => another(end) }, "Another")),
        end,
      );
      for (const each of drawn) await show(each);
    }

    async function another(end) {
      const [drawn] = ordered().filter(({ id }) => !asked.has(id));
      if (!drawn) {
        end.textContent = "You have seen every question that can be asked here.";
        return;
      }
      try {
        (await show(drawn)).focus();
        end.textContent = "";
      } catch (error) {
        asked.delete(drawn.id);
        end.textContent = `The question could not be loaded (${error.message}). Press again to try once more.`;
      }
    }

    box.addEventListener("course:tried", ({ detail: { id, correct } }) => {
      const own = id.slice(records.AGAIN.length);
      const before = stands(own);
      if (!id.startsWith(records.AGAIN) || !asked.has(own)) return;
      const { kept } = records.update("recall", own, () => schedule.after(before, correct, clock()));
      const words = box.querySelector(`[data-question="${own}"] .course-recall-next`);
      words.textContent = kept
        ? next(own, before, correct)
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
        console.error(error);
        body.replaceChildren(
          h(
            "p",
            { role: "status" },
            `The questions could not be loaded (${error.message}). Close the box and open it to try again.`,
          ),
        );
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
