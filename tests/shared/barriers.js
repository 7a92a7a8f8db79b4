// What axe finds on a page, without what it would tell besides: a selector and the HTML of every node that is in order
// take as long as the rules themselves. Loaded by tests/barriers.py beside axe.

const CONTROLS = "a, button, input, select, textarea, summary, [tabindex], [role]";
const OF_COLOURS = ["color-contrast", "link-in-text-block"]; // the rules that judge nothing but texts' looks
const ENOUGH = 3; // texts in the same colours on the same ground, of which axe judges one as the other

/**
 * Mark the texts on which axe need not spend its time again: same letters, same grounds below them as in some before,
 * on this page or on one that was judged earlier, whose looks are in `seen`. How many texts are left.
 */
function markAlike(seen) {
  const here = new Map();
  let left = 0;
  const grounds = new Map();
  const ground = (node) => {
    if (!node) return "";
    if (!grounds.has(node)) {
      const { backgroundColor, backgroundImage, opacity, position } = getComputedStyle(node);
      // may lie on another's ground
      const floats = position === "static" || position === "relative" ? "" : node.className;
      const own = [backgroundColor, backgroundImage, opacity, floats].join();
      const above = ground(node.parentElement);
      grounds.set(node, own === "rgba(0, 0, 0, 0),none,1," ? above : `${above} > ${own}`);
    }
    return grounds.get(node);
  };
  for (const node of document.body.querySelectorAll("*")) {
    if (![...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim())) continue;
    if (!node.checkVisibility({ visibilityProperty: true })) continue; // axe judges none of these
    const { color, fontSize, fontWeight, textShadow, textDecorationLine } = getComputedStyle(node);
    // a link must differ from the text that it stands in
    const within = node.nodeName === "A" ? [getComputedStyle(node.parentElement).color, textDecorationLine] : [];
    const size = parseFloat(fontSize);
    const large = size >= 24 || (size >= 18.66 && fontWeight >= 700); // for which WCAG asks for less contrast
    const look = [ground(node), color, large, textShadow, ...within].join(";");
    here.set(look, (here.get(look) ?? 0) + 1);
    const alike = seen.has(look) || here.get(look) > ENOUGH;
    node.toggleAttribute("data-alike", alike);
    left += !alike;
  }
  for (const look of here.keys()) seen.add(look);
  return left;
}

globalThis.barriers = {
  /**
   * [rule, element] of all that is wrong in the page, or in the part of it that `context` names; at most three elements
   * a rule. Of colours axe is not asked at all where the page has been made plain and shows no look that is new.
   */
  async find(options, context) {
    const { axe } = globalThis;
    axe.configure({ noHtml: true });
    const fresh = this.seen ? markAlike(this.seen) : Infinity;
    if (!fresh && options.runOnly?.values.every((rule) => OF_COLOURS.includes(rule))) return [];
    const quick = { resultTypes: ["violations", "incomplete"], selectors: false, elementRef: true };
    const { violations, incomplete } = await axe.run(context ?? document, { ...options, ...quick });
    // where a text has the very colour of its ground, axe gives no verdict: it might be hidden on purpose
    const unseen = incomplete.map(({ id, nodes }) => ({
      id,
      nodes: nodes.filter(({ any }) => any[0]?.data?.messageKey === "equalRatio"),
    }));
    const wrong = [...violations, ...unseen];
    return wrong.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ element }) => [id, element.outerHTML.slice(0, 160)]),
    );
  },

  /**
   * Leave axe the less to do: empty the inside of formulas, of drawn figures and of code, and judge the colours of
   * texts that look alike by some of them, but of looks in `seen`, which were judged before. Everything that answers a
   * reader stays, and stays where it is.
   */
  plain(seen) {
    this.seen = new Set(seen);
    const [texts, links] = ["*", "a[href], [role=link]"].map((all) => `:is(${all}):not([data-alike])`);
    globalThis.axe.configure({ rules: OF_COLOURS.map((id, i) => ({ id, selector: [texts, links][i] })) });
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
      // a comment is a box of its own, which moves what follows
      const stays = (node) => node.nodeName === "A" || node.className === "c1";
      code.replaceChildren(...[...code.childNodes].map((node) => (stays(node) ? node : node.textContent)));
    }
    const moved = places().some((value, i) => Math.abs(value - before[i]) > 0.5);
    if (moved || !controls.every((node) => node.isConnected))
      throw Error("something that answers a reader has moved or gone");
  },
};
