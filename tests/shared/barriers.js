// What axe finds on a page, without what it would tell besides: a selector and the HTML of every node that is in order take as long
// as the rules themselves. Loaded by tests/barriers.py beside axe.

const CONTROLS = "a, button, input, select, textarea, summary, [tabindex], [role]";

globalThis.barriers = {
  /** [rule, element] of all that is wrong in the page, or in the part of it that `context` names; at most three elements a rule. */
  async find(options, context) {
    const { axe } = globalThis;
    axe.configure({ noHtml: true });
    const quick = { resultTypes: ["violations"], selectors: false, elementRef: true };
    const { violations } = await axe.run(context ?? document, { ...options, ...quick });
    return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ element }) => [id, element.outerHTML.slice(0, 160)]));
  },

  /** Empty the inside of formulas, of drawn figures and of code; everything that answers a reader stays, and stays where it is. */
  plain() {
    const controls = [...document.querySelectorAll(CONTROLS)];
    const places = () =>
      controls.map((node) => node.getBoundingClientRect()).flatMap(({ x, y, width, height }) => [x, y, width, height]);
    const before = places();
    const parts = [...document.querySelectorAll(".katex-html > .base")].map((part) => {
      const strut = part.firstElementChild;
      const line = strut.getBoundingClientRect().bottom + (parseFloat(getComputedStyle(strut).verticalAlign) || 0);
      const { width, height, bottom } = part.getBoundingClientRect();
      return { part, style: `width: ${width}px; height: ${height}px; vertical-align: ${line - bottom}px` };
    });
    for (const { part, style } of parts) {
      part.replaceChildren();
      part.style.cssText = style;
    }
    for (const drawing of document.querySelectorAll(".course-plotly svg")) drawing.replaceChildren();
    for (const code of document.querySelectorAll(".highlight pre")) code.replaceChildren(code.textContent);
    const moved = places().some((value, i) => Math.abs(value - before[i]) > 0.5);
    if (moved || !controls.every((node) => node.isConnected)) throw Error("something that answers a reader has moved or gone");
  },
};
