// Before printing: proofs are opened, and what is wider than the paper is made smaller, and so is
// a widget that nearly fits on one page. Afterwards all is as it was.
(() => {
  const WIDE = ".katex-display, table, .course-widget, .course-figure, .cell_output svg, .course-graph svg";
  const SMALLEST = 0.4;
  const SMALLEST_PRINT = 0.7;
  const SMALLEST_WIDGET = 0.6;
  const PAGE = 900; // CSS pixels: what A4 and Letter hold between their margins
  let undo = [];

  /** A printed table keeps its columns in smaller letters, where that is enough; else its lines wrap. */
  const keepColumns = (output) => {
    const before = output.getAttribute("style");
    output.style.setProperty("white-space", "pre", "important");
    const factor = output.clientWidth / output.scrollWidth;
    if (factor < 1 && factor >= SMALLEST_PRINT) output.style.fontSize = `${Math.floor(85 * factor - 1) / 10}pt`;
    else if (factor < 1) output.style.removeProperty("white-space");
    undo.push(() => (before === null ? output.removeAttribute("style") : output.setAttribute("style", before)));
  };

  const zoom = (box, factor) => {
    const before = box.style.zoom;
    undo.push(() => {
      box.style.zoom = before;
    });
    box.style.zoom = factor;
  };

  /** Fit the article to `width` CSS pixels; with no width, to the column it has. Returns what could not be fitted. */
  const fit = (width) => {
    const article = document.querySelector("article.bd-article") ?? document.body;
    const edge = article.getBoundingClientRect().left + (width ?? article.clientWidth);
    const left = [];
    for (const output of article.querySelectorAll(".cell_output pre")) keepColumns(output);
    for (const box of article.querySelectorAll(WIDE)) {
      const { left: begin } = box.getBoundingClientRect();
      const wide = Math.max(
        box.scrollWidth,
        ...[...box.querySelectorAll(".katex, .base")].map((piece) => piece.getBoundingClientRect().right - begin),
      );
      // of the reader's edition: wider than what is around it
      const across = getComputedStyle(box).columnSpan === "all";
      const room = Math.min((!across && box.parentElement.clientWidth) || Infinity, edge - begin);
      if (!wide || !room || wide <= room + 1) continue;
      const factor = Math.max(SMALLEST, (room - 4) / wide);
      zoom(box, factor);
      if (factor === SMALLEST)
        left.push(`${box.tagName.toLowerCase()}.${box.className}: ${Math.round(wide)} px in ${Math.round(room)}`);
    }
    for (const box of article.querySelectorAll(".course-widget")) {
      const { height } = box.getBoundingClientRect();
      if (height > PAGE && height * SMALLEST_WIDGET <= PAGE) zoom(box, ((Number(box.style.zoom) || 1) * PAGE) / height);
    }
    return left;
  };

  const open = () => {
    for (const box of document.querySelectorAll("article details:not([open]):not(.hide)")) {
      if (box.closest(".course-widget")) continue; // an exercise keeps its hints
      box.open = true;
      undo.push(() => {
        box.open = false;
      });
    }
  };
  addEventListener("beforeprint", () => {
    open();
    fit();
  });
  addEventListener("afterprint", () => {
    undo.reverse().forEach((act) => act());
    undo = [];
  });
  globalThis.__coursePrint = { fit, open };
})();
