// The page "Your progress": fills in what was solved, says what is due, and takes progress out, in, or away. No request
// is made.
(() => {
  const { records, schedule, progressFile, nextPage, h, clock, plural, tally, save } = globalThis.__course;
  const KEEPS = "Your browser does not let this page keep anything: what you do is forgotten when you leave it.";

  function start(root) {
    const { asked, predictions } = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const rows = [...root.querySelectorAll("tr[data-ids]")];
    const idsOf = (row) => row.dataset.ids.split(" ");
    const all = rows.flatMap(idsOf);
    const known = new Set([...all, ...predictions]);

    const button = (text, onclick) => h("button", { type: "button", onclick }, text);
    const heads = (...texts) => h("thead", {}, h("tr", {}, ...texts.map((text) => h("th", { scope: "col" }, text))));
    const put = (el, ids) => {
      const { solved, tried, total } = tally(ids);
      el.querySelector(".course-progress-words").textContent =
        `${solved} of ${total} solved${tried ? `, ${tried} tried` : ""}`;
      const [good, half] = el.querySelectorAll(".course-bar i");
      good.style.width = `${(100 * solved) / total}%`;
      half.style.width = `${(100 * tried) / total}%`;
    };

    /** Which page to open: the one that was begun last, and the next. */
    function onwards() {
      const pages = rows.map((row) => {
        const ids = idsOf(row);
        const { solved, tried, total } = tally(ids);
        const times = ids.map((id) => records.exercise(id)).filter((each) => each?.tried);
        const at = times.length ? Math.max(...times.map((each) => each.at ?? 0)) : null;
        return { solved, tried: solved + tried, total, at };
      });
      const { unfinished, next } = nextPage.onwards(pages);
      const link = (i) => {
        const { href, textContent } = rows[i].querySelector("a");
        return h("a", { href }, textContent);
      };
      const words = [];
      if (unfinished >= 0)
        words.push("Begun: ", link(unfinished), `, ${pages[unfinished].solved} of ${pages[unfinished].total} solved. `);
      words.push(...(next >= 0 ? ["Next: ", h("strong", {}, link(next)), "."] : ["No page is left untouched."]));
      root.querySelector(".course-progress-next").replaceChildren(...words);
      rows.forEach((row, i) => row.toggleAttribute("data-next", i === next));
    }

    function boxes() {
      const { now, offset } = clock();
      const today = schedule.dayOf(now, offset);
      const standing = asked
        .map((id) => schedule.standing(records.exercise(id), records.recall(id), now))
        .filter(Boolean);
      const days = standing.map((each) => schedule.dueDay(each, offset));
      const due = days.filter((each) => each <= today).length;
      const next = Math.min(...days.filter((each) => each > today));
      const later = Number.isFinite(next) ? ` The next one is due in ${plural(next - today, "day")}.` : "";
      const words = standing.length
        ? `${due ? `${plural(due, "question")} due today.` : "Nothing is due today."}${later}`
        : "Nothing waits to be asked again: a question enters box 1 when you first answer it.";
      const row = (days_, i) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, `Box ${i + 1}`),
          h("td", {}, `after ${plural(days_, "day")}`),
          h("td", {}, String(standing.filter(({ box }) => box === i + 1).length)),
        );
      root
        .querySelector(".course-progress-recall")
        .replaceChildren(
          h("p", { class: "course-progress-due" }, words),
          h(
            "table",
            {},
            h("caption", {}, "Questions that wait to be asked again"),
            heads("Box", "Comes back", "Questions"),
            h("tbody", {}, ...schedule.DAYS.map(row)),
          ),
        );
    }

    /**
     * How often the reader foretold what happens, and whether she was as often right as she was sure. Only what was
     * committed before it was seen counts.
     */
    function foretold() {
      const made = predictions.map(records.prediction).filter((each) => each && !each.seen && each.right !== null);
      const right = made.filter((each) => each.right).length;
      const words = made.length
        ? `${plural(made.length, "prediction")} made before the evidence, ${right} right.`
        : "No prediction is made yet: the first one waits on a page, before its evidence.";
      const levels = [...new Set(made.map(({ sure }) => sure).filter((sure) => sure))].sort((a, b) => a - b);
      const row = (sure) => {
        const those = made.filter((each) => each.sure === sure);
        const hit = those.filter((each) => each.right).length;
        return h(
          "tr",
          {},
          h("th", { scope: "row" }, `${sure} %`),
          h("td", {}, String(those.length)),
          h("td", {}, `${hit} (${Math.round((100 * hit) / those.length)} %)`),
        );
      };
      const table = h(
        "table",
        {},
        h("caption", {}, "How sure, and how often right"),
        heads("You said", "Predictions", "Right"),
        h("tbody", {}, ...levels.map(row)),
      );
      const cover = button(records.coverNever() ? "Cover evidence again" : "Never cover evidence", () => {
        if (!records.coverNever(!records.coverNever())) say(KEEPS);
        foretold();
        root.querySelector(".course-progress-foretold button").focus();
      });
      root
        .querySelector(".course-progress-foretold")
        .replaceChildren(h("p", {}, words), ...(levels.length ? [table] : []), h("p", {}, cover));
    }

    function refresh() {
      rows.forEach((row) => put(row, idsOf(row)));
      for (const part of root.querySelectorAll(".course-progress-part")) {
        put(part.querySelector("summary"), [...part.querySelectorAll("tr[data-ids]")].flatMap(idsOf));
      }
      const { solved, tried, total } = tally(all);
      root.querySelector(".course-progress-all").textContent =
        `${solved} of ${total} exercises solved${tried ? `, ${tried} more tried` : ""}.` +
        `${records.kept() ? "" : ` ${KEEPS}`}`;
      onwards();
      boxes();
      foretold();
    }

    // ------------------------------------------------------------------------------------------- out, in, away
    const said = h("div", { class: "course-progress-said", role: "status" });
    const say = (text) => {
      said.textContent = text;
    };
    const counted = (exercises, foreseen, questions) =>
      `${plural(exercises, "exercise")}, ${plural(foreseen, "prediction")} and ${plural(questions, "question")} of ` +
      `the boxes.`;

    function merge(kind, found) {
      let taken = 0;
      for (const [id, theirs] of found[kind]) {
        const own = records.read(kind, id);
        const changed = JSON.stringify(progressFile.newer(own, theirs)) !== JSON.stringify(own);
        if (changed && records.update(kind, id, (old) => progressFile.newer(old, theirs)).kept) taken += 1;
      }
      return taken;
    }

    async function load(input) {
      const [file] = input.files;
      if (!file) return;
      const text = file.size > progressFile.MOST_BYTES ? "" : await file.text().catch(() => "");
      input.value = ""; // the same file may be chosen again
      const found = progressFile.read(text, known, Date.now());
      if (found.problem) {
        say(found.problem);
        return;
      }
      const taken = ["exercises", "predictions", "recall"].map((kind) => merge(kind, found));
      const refused = found.refused
        ? ` Refused, since they make no sense here: ${plural(found.refused, "record")}.`
        : "";
      say(`Taken: ${counted(...taken)} What you had as new or newer was left as it was.${refused}`);
    }

    const input = h("input", {
      type: "file",
      accept: ".json,application/json",
      hidden: true,
      "aria-label": "Progress file",
      onchange: () => load(input),
    });

    function take() {
      save(known);
      const count = (kind, ids) => ids.filter((id) => records.read(kind, id)).length;
      say(
        `Your browser saves a file with ` +
          `${counted(count("exercises", all), count("predictions", predictions), count("recall", all))}`,
      );
    }

    function erase() {
      const total = plural(records.keys().length, "record");
      if (!confirm(`Erase ${total} in this browser? This cannot be undone. Export first if you may want them back.`))
        return;
      records.erase();
      say("Erased. This browser keeps nothing of yours from this book's exercises.");
    }

    root.querySelector(".course-progress-file").append(
      h(
        "p",
        {},
        "Take your progress to another browser or device: export it here, import it there. Of two answers to one " +
          "exercise, the newer is kept.",
      ),
      h(
        "div",
        { class: "course-progress-buttons" },
        button("Export", take),
        button("Import", () => input.click()),
        input,
        button("Erase…", erase),
      ),
      said,
    );
    globalThis.__course.onProgress(refresh);
    refresh();
    root.dataset.ready = "1";
  }

  const boxes = () => document.querySelectorAll(".course-progress").forEach(start);
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", boxes);
  else boxes();
})();
