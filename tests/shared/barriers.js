// What axe finds on a page, without what it would tell besides: a selector and the HTML of every node that is in order take as long
// as the rules themselves. Loaded by tests/barriers.py beside axe.

const CONTROLS = "a, button, input, select, textarea, summary, [tabindex], [role]";
const ENOUGH = 3; // texts in the same colours on the same ground, of which axe judges one as the other

/** Mark the texts on which axe need not spend its time again: same letters, same grounds below them as in some before. */
function markAlike() {
  const grounds = new Map();
  const ground = (node) => {
    if (!node) return "";
    if (!grounds.has(node)) {
      const { backgroundColor, backgroundImage, opacity, position } = getComputedStyle(node);
      const floats = position === "static" || position === "relative" ? "" : node.className; // may lie on another's ground
      const own = [backgroundColor, backgroundImage, opacity, floats].join();
      const above = ground(node.parentElement);
      grounds.set(node, own === "rgba(0, 0, 0, 0),none,1," ? above : `${above} > ${own}`);
    }
    return grounds.get(node);
  };
  const seen = new Map();
  for (const node of document.body.querySelectorAll("*")) {
    if (![...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim())) continue;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(node);
    const look = [ground(node), color, fontSize, fontWeight, textShadow].join(";");
    seen.set(look, (seen.get(look) ?? 0) + 1);
    node.toggleAttribute("data-alike", seen.get(look) > ENOUGH);
  }
}

globalThis.barriers = {
  /** [rule, element] of all that is wrong in the page, or in the part of it that `context` names; at most three elements a rule. */
  async find(options, context) {
    const { axe } = globalThis;
    axe.configure({ noHtml: true });
    if (this.brief) markAlike(); // anew each time: what is alike in one scheme may differ in the other
    const quick = { resultTypes: ["violations", "incomplete"], selectors: false, elementRef: true };
    const { violations, incomplete } = await axe.run(context ?? document, { ...options, ...quick });
    // where a text has the very colour of its ground, axe gives no verdict: it might be hidden on purpose
    const unseen = incomplete.map(({ id, nodes }) => ({
      id,
      nodes: nodes.filter(({ any }) => any[0]?.data?.messageKey === "equalRatio"),
    }));
    const wrong = [...violations, ...unseen];
    return wrong.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ element }) => [id, element.outerHTML.slice(0, 160)]));
  },

  /** Leave axe the less to do: empty the inside of formulas, of drawn figures and of code, and judge the contrast of texts that look alike
   * by some of them. Everything that answers a reader stays, and stays where it is. */
  plain() {
    this.brief = true;
    globalThis.axe.configure({ rules: [{ id: "color-contrast", selector: "*:not([data-alike])" }] });
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
    for (const formula of document.querySelectorAll("math"))
      formula.replaceChildren(formula.querySelector("annotation")?.textContent ?? "");
    for (const drawing of document.querySelectorAll(".course-plotly svg")) drawing.replaceChildren();
    if (globalThis.Plotly) globalThis.Plotly.relayout = async () => {}; // nor need they follow the scheme
    for (const code of document.querySelectorAll(".highlight pre")) {
      const stays = (node) => node.nodeName === "A" || node.className === "c1"; // a comment is a box of its own, which moves what follows
      code.replaceChildren(...[...code.childNodes].map((node) => (stays(node) ? node : node.textContent)));
    }
    const moved = places().some((value, i) => Math.abs(value - before[i]) > 0.5);
    if (moved || !controls.every((node) => node.isConnected)) throw Error("something that answers a reader has moved or gone");
  },
};
