// The page "Where to begin": ten cards, and below them what they say as it stands. Nothing is sent; the cards keep their own records.
(() => {
  const { records, way, h, plural, home, load, show, onProgress } = globalThis.__course;

  const link = ({ page, title, minutes }) => [
    h("a", { href: home + page }, title),
    minutes === null ? "" : ` (${Math.round(minutes)} min)`,
  ];
  /** Links with commas, and "and" before the last. */
  const listed = (places) =>
    places.flatMap((place, i) => [i === 0 ? "" : i === places.length - 1 ? " and " : ", ", ...link(place)]);

  function result({ answered, total, skip, read, begin }, { alone, after }) {
    const p = (...words) => h("p", {}, ...words);
    if (!answered) return [p("What these questions say of where to begin will stand here.")];
    const lines = [
      p(h("strong", {}, `${answered} of ${plural(total, "question")} answered.`), answered < total ? " As it stands:" : ""),
    ];
    if (skip.length) lines.push(p("You can skip ", ...listed(skip), "."));
    if (read.length)
      lines.push(
        p(
          read.length === 1 ? "One primer is worth its time first: " : "These primers are worth their time first: ",
          ...listed(read),
          ".",
        ),
      );
    else lines.push(p("You need none of the primers."));
    if (begin) lines.push(p("Then begin with ", h("strong", {}, ...link(begin)), "."));
    else
      lines.push(
        p("What comes first you know. Choose by what you are after: ", ...listed(after), "; none of the three asks for another."),
      );
    if (begin && !begin.page.includes("03_transformer"))
      lines.push(
        p(
          "If you want the Transformer only, begin with ",
          ...link(alone),
          " instead: that chapter starts anew with vectors and dot products.",
        ),
      );
    lines.push(p(h("a", { href: `${home}book/progress.html` }, "Your progress"), " marks the page that is next."));
    return lines;
  }

  async function start(root) {
    const given = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const said = root.querySelector(".course-placement-result");
    const list = root.querySelector(".course-placement-list");
    const refresh = () => said.replaceChildren(...result(way.placed(given.way, records.exercise), given.way));
    onProgress(refresh);
    refresh();
    try {
      const specs = JSON.parse(await load(given.key));
      const begins = [...given.way.primers, ...given.way.chapters].map(({ begin }) => begin);
      for (const [i, spec] of specs.entries()) {
        const place = h("div", { class: "course-widget" });
        const from = h(
          "p",
          { class: "course-recall-from" },
          `Question ${i + 1} of ${specs.length}. It stands for `,
          ...link(begins[i]),
          ".",
        );
        list.append(h("section", { class: "course-recall-question", "aria-label": `Question ${i + 1}` }, from, place));
        await show({ state: { ...given.card, spec: { ...spec, id: way.OWN + spec.id } } }, place);
      }
      root.dataset.ready = "1";
    } catch (error) {
      console.error(error);
      list.replaceChildren(
        h("p", {}, `The questions could not be loaded (${error.message}). Load the page again to try once more.`),
      );
    }
  }
  const boxes = () => document.querySelectorAll(".course-placement").forEach(start);
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", boxes);
  else boxes();
})();
