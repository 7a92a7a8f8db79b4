// Covers what a prediction is about until the reader has predicted, has searched for it, has come by a link to it, or
// asks to see it.
(() => {
  const { aim, records } = globalThis.__course;
  const all = [...document.querySelectorAll(".tag_predict, .course-evidence")];
  const groups = []; // [cell of the prediction, its boxes]
  for (const each of all) {
    if (each.matches(".tag_predict")) groups.push([each, []]);
    else groups.at(-1)?.[1].push(each);
  }
  const outputs = (box) =>
    [...box.children]
      .filter((each) => !each.matches(".course-cover"))
      .flatMap((each) => (each.matches(".cell") ? [...each.querySelectorAll(":scope > .cell_output")] : [each]));
  const idOf = (cell) => cell.querySelector("[data-prediction]")?.dataset.prediction;

  function cover(cell, boxes) {
    // all is measured before anything changes
    const heights = boxes.map((box) => outputs(box).map((part) => part.getBoundingClientRect().height));
    boxes.forEach((box, i) => {
      const show = document.createElement("button");
      show.type = "button";
      show.textContent = "Show it";
      show.onclick = () => open(cell, boxes, "asked", box);
      const never = document.createElement("button");
      never.type = "button";
      never.textContent = "Never cover";
      never.onclick = () => {
        records.coverNever(true);
        for (const [one, its] of groups) open(one, its, "never", one === cell ? box : null);
      };
      const bar = document.createElement("p");
      bar.className = "course-cover";
      const words = document.createElement("span");
      words.textContent = "Covered until you predict.";
      bar.append(words, show, never);
      outputs(box).forEach((part, k) => {
        part.style.setProperty("--height", `${heights[i][k]}px`);
        part.setAttribute("hidden", "until-found");
      });
      box.prepend(bar);
      box.dataset.state = "covered";
      box.addEventListener("beforematch", () => open(cell, boxes, "found", null)); // find in page, #fragment, #:~:text=
    });
  }

  /** `from`: the box in which the reader asked, which keeps the keyboard's place. */
  function open(cell, boxes, how, from) {
    for (const box of boxes) {
      if (box.dataset.state !== "covered") continue;
      box.dataset.state = "open";
      box.querySelector(":scope > .course-cover").remove();
      for (const part of outputs(box)) {
        part.removeAttribute("hidden");
        part.style.removeProperty("--height");
      }
    }
    if (from) {
      from.tabIndex = -1;
      from.focus({ preventScroll: true });
    }
    cell.dispatchEvent(new CustomEvent("course:uncovered", { bubbles: true, detail: how }));
  }

  function aimed() {
    const place = aim();
    const box = place?.closest(".course-evidence[data-state=covered]");
    const group = groups.find(([, boxes]) => boxes.includes(box));
    if (!group) return;
    open(...group, "aimed", null);
    place.scrollIntoView();
  }

  function sought() {
    // from the book's search, or by a link to words, which a script sees here only
    if (new URLSearchParams(location.search).has("highlight")) return true;
    try {
      if (localStorage.getItem("sphinx_highlight_terms")) return true; // Sphinx takes it away when the page is ready
    } catch {
      // then it kept nothing there either
    }
    return performance.getEntriesByType("navigation")[0]?.name.includes(":~:") ?? false;
  }

  function start() {
    if (!("onbeforematch" in document.documentElement)) document.documentElement.classList.add("course-no-until-found");
    if (!sought() && !records.coverNever())
      for (const [cell, boxes] of groups) if (!records.prediction(idOf(cell))) cover(cell, boxes);
    // until now before_paint.js kept all unseen
    for (const [, boxes] of groups) for (const box of boxes) box.dataset.state ??= "open";
    aimed();
    addEventListener("hashchange", aimed);
    document.addEventListener("course:predicted", ({ target, detail: { how } }) => {
      const group = groups.find(([cell]) => cell.contains(target));
      if (!group) return;
      if (how === "withdrawn") cover(...group);
      else open(...group, how, null);
    });
  }
  start();
})();
