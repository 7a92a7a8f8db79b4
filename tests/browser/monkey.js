// A monkey for any widget: it finds the controls by their roles, brings each to its ends, walks at random, and looks
// for what a reader must never see. Loaded by tests/browser/test_robust.py into a page of tests/shared/workbench.py.

const SELECTOR = "input, select, textarea, button, summary, [tabindex='0']";
const KEYS = ["ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown", "Home", "End", "PageUp", "PageDown", "Enter", " "];
const LONG = "m".repeat(272); // has no blank to break at
const TEXTS = ["", "-1e999", "<b>&amp;</b> “ü” 🙂", "word ".repeat(200), "0", `constructor __proto__ ${LONG}`];
const SECRET = /\bNaN\b|\bInfinity\b|\bundefined\b|\bnull\b|\[object /;
const TOLD = ["valuetext", "valuenow", "label", "description"].map((each) => `aria-${each}`);
const DRAWN = [..."d x y x1 x2 y1 y2 cx cy r width height points transform style".split(" "), ...TOLD];

const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
// the first alone calls an SVG group with display none visible
const shown = (node) => node.checkVisibility() && node.getClientRects().length > 0;
const give = (node, ...events) => {
  for (const event of events) node.dispatchEvent(new Event(event, { bubbles: true }));
};
const press = (node, key, shiftKey = false) =>
  node.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
const spoken = (root) => [...root.querySelectorAll("[aria-live], [role=status]")];
const labelOf = (node) =>
  node.getAttribute("aria-label") ?? node.closest("label")?.textContent ?? node.textContent ?? "";
const name = (node) =>
  `${node.localName}${node.type ? `[${node.type}]` : ""} “` + `${labelOf(node).trim().slice(0, 40)}”`;

const textOf = (nodes) => nodes.map((node) => node.textContent).join(" ");

/** Everything in a widget that a reader can work, hidden parts opened. */
function controls(root) {
  for (const fold of root.querySelectorAll("details")) fold.open = true;
  return [...root.querySelectorAll(SELECTOR)].filter((node) => shown(node) && !node.disabled);
}

/** Ways to work one control; the first two lead to its ends. */
function ways(node) {
  const keys = KEYS.map((key) => () => {
    node.focus();
    press(node, key);
  });
  const to = (value) => () => {
    node.value = value;
    give(node, "input", "change");
  };
  if (node.localName === "select") {
    const open = [...node.options].filter((option) => !option.disabled).map((option) => to(option.value));
    return open.length > 1 ? [open[0], open.at(-1), ...open] : open;
  }
  const clicks = (count) => () => {
    for (let i = 0; i < count; i++) node.click();
  };
  if (node.type === "range")
    return [
      to(node.min),
      to(node.max),
      () => to(Number(node.min) + 0.37 * (node.max - node.min))(),
      ...keys.slice(0, 8),
    ];
  if (node.type === "number") return [to(node.min), to(node.max), to(""), to("1e999"), to("-7e30"), to("0.1")];
  if (node.localName === "textarea" || ["text", "search", ""].includes(node.type)) return TEXTS.map(to);
  if (["checkbox", "radio"].includes(node.type)) return [clicks(1), clicks(1)];
  if (node.localName === "button") return [clicks(1), clicks(4)];
  return node.localName === "summary" ? [() => node.focus()] : [...[4, 5].map((i) => keys[i]), ...keys];
}

/** What must never be seen, as sentences. */
function faults(root) {
  const found = new Set();
  const text =
    root.innerText.match(SECRET) ?? textOf([...root.querySelectorAll("svg text, option, [role=status]")]).match(SECRET);
  if (text) found.add(`says “${text.input.slice(Math.max(0, text.index - 60), text.index + 30)}”`);
  for (const node of root.querySelectorAll("*"))
    for (const key of DRAWN) {
      const value = node.getAttribute(key);
      if (value && SECRET.test(value))
        found.add(`${node.localName}.${node.getAttribute("class") ?? ""} has ${key}="${value.slice(0, 80)}"`);
    }
  for (const { value } of root.querySelectorAll("output, progress, meter"))
    if (Number.isNaN(value)) found.add("an output that is no number");
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over > 0) found.add(`the page scrolls sideways by ${over}`);
  return [...found];
}

function random(seed) {
  // mulberry32
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The area that answers a finger: of a control inside a label, the label's too. */
function target(node) {
  const boxes = [node, node.closest("label")].filter(Boolean).map((each) => each.getBoundingClientRect());
  return {
    width: Math.max(...boxes.map((box) => box.width)),
    height: Math.max(...boxes.map((box) => box.height)),
    box: boxes[0],
  };
}

/** Where the keyboard is: its place in the widget's document order, and whether the reader can see it. */
function focus(root) {
  const node = document.activeElement;
  if (!root.contains(node)) return null;
  const outlined = ({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
  const marked = [node, node.nextElementSibling, node.parentElement, ...node.children].filter(Boolean);
  const seen =
    marked.some((each) => outlined(getComputedStyle(each))) ||
    [node, ...node.children].some(
      (each) => getComputedStyle(each).strokeWidth !== "1px" && each.namespaceURI.endsWith("svg"),
    );
  return { place: [...root.querySelectorAll("*")].indexOf(node), seen, name: name(node) };
}

/**
 * Timers of a tenth of a second and more wait until the function that this gives is called: no pause of the reader is
 * over before.
 */
function held() {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const waiting = new Map();
  const begun = new Map();
  let last = 0;
  globalThis.setTimeout = (act, ms = 0, ...more) => {
    if (ms < 100) return set(act, ms, ...more);
    waiting.set(--last, [act, ms, ...more]);
    return last;
  };
  globalThis.clearTimeout = (id) => {
    if (!waiting.delete(id)) clear(begun.get(id) ?? id);
  };
  return () => {
    globalThis.setTimeout = set;
    for (const [id, timer] of waiting) begun.set(id, set(...timer));
    waiting.clear();
  };
}

const at = (place) => document.querySelectorAll(".course-widget")[place];
globalThis.monkey = {
  faults: (place) => faults(at(place)),
  count: (place) => at(place).querySelectorAll("*").length,
  text: (place) => at(place).innerText,

  /** Every control to both ends, a frame after each; what is wrong then. */
  async ends(place) {
    const root = at(place);
    const wrong = [];
    for (const node of controls(root))
      for (const way of ways(node).slice(0, 6)) {
        if (!node.isConnected || node.disabled) break;
        way();
        await frame();
        for (const fault of faults(root))
          if (!wrong.some((old) => old.endsWith(fault))) wrong.push(`after ${name(node)}: ${fault}`);
      }
    return wrong;
  },

  /** `steps` quick changes at random, a frame now and then, the theme and the tab's visibility turning meanwhile. */
  async walk(place, steps, seed = 1) {
    const root = at(place);
    const draw = random(seed);
    const wrong = [];
    const any = (list) => list[Math.floor(draw() * list.length)];
    for (let i = 0; i < steps; i++) {
      const node = any(controls(root));
      const way = node && any(ways(node));
      way?.();
      if (i % 9 === 0) document.documentElement.dataset.theme = i % 2 ? "light" : "dark";
      if (i % 13 === 0) hide(i % 2 === 0);
      if (i % 7 === 0) await frame();
      if (i % 21 === 0) for (const fault of faults(root)) wrong.push(`step ${i}, ${node && name(node)}: ${fault}`);
    }
    hide(false);
    await frame();
    return wrong;
  },
  hide,
  /** A word as long as a line and more in each field; what is wrong then. */
  async long(place) {
    for (const field of controls(at(place)).filter((node) => ["text", "search", "textarea"].includes(node.type))) {
      field.value = LONG;
      give(field, "input", "change");
    }
    await frame();
    return faults(at(place));
  },
  /** Radio names that two widgets share. */
  shared() {
    const owner = new Map();
    const twice = [...document.querySelectorAll("input[type=radio]")].filter((input) => {
      const box = input.closest(".course-widget");
      if (!owner.has(input.name)) owner.set(input.name, box);
      return owner.get(input.name) !== box;
    });
    return twice.map((input) => input.name);
  },
  /** The next Tab leads into the widget. */
  before(place) {
    const door = document.createElement("span");
    door.tabIndex = -1;
    at(place).before(door);
    door.focus();
  },
  unfold: (place) => void controls(at(place)),
  /** Moves a slider with a log scale. */
  choose(place, label, value) {
    const input = [...at(place).querySelectorAll("input[type=range]")].find((each) =>
      each.closest("label")?.textContent.startsWith(label),
    );
    input.value = Math.log10(value);
    give(input, "input");
  },
  focus: (place) => focus(at(place)),

  /** What Tab must come to: of radio buttons one a group. */
  stops(place) {
    const all = controls(at(place));
    const [radios, others] = [true, false].map((radio) => all.filter((node) => (node.type === "radio") === radio));
    return others.filter((node) => node.tabIndex >= 0).length + new Set(radios.map((node) => node.name)).size;
  },

  /**
   * Of two twins that stand alike one gets three keys before its next frame, the other a frame for each: what they then
   * say that differs.
   */
  async hurried(one, other) {
    const faces = (place) => [
      ...at(place).querySelectorAll("[tabindex='0']:is([role=slider], [role=grid]):not(input)"),
    ];
    const said = (face) =>
      face.getAttribute("aria-valuetext") ??
      document.getElementById(face.getAttribute("aria-activedescendant"))?.id.split("-").slice(2).join();
    const rest = async () => {
      for (let i = 0; i < 6 || document.querySelector(".course-widget [aria-busy=true]"); i++) await frame();
    };
    const wrong = [];
    for (let i = 0; i < faces(one).length; i++)
      for (const keys of ["Left Left Down", "Right Down Right"]) {
        const names = keys.split(" ").map((each) => `Arrow${each}`);
        for (const name of names) press(faces(one)[i], name);
        for (const name of names) {
          press(faces(other)[i], name);
          await rest();
        }
        await rest();
        const [told, wanted] = [one, other].map((place) => said(faces(place)[i]));
        if (told !== wanted) wrong.push([...names, told, wanted]);
      }
    return wrong;
  },

  /** Targets under 24 × 24 pixels whose circle of 24 touches another target (WCAG 2.2, 2.5.8). */
  small(place) {
    const all = controls(at(place))
      .filter((node) => node.localName !== "summary")
      .map((node) => ({ node, ...target(node) }));
    const middle = ({ box }) => [box.left + box.width / 2, box.top + box.height / 2];
    const near = (a, b) => {
      const [x, y] = middle(a);
      const { box } = b;
      return (
        Math.hypot(x - Math.max(box.left, Math.min(x, box.right)), y - Math.max(box.top, Math.min(y, box.bottom))) < 12
      );
    };
    return all
      .filter(
        (a) =>
          (a.width < 23.5 || a.height < 23.5) &&
          all.some((b) => b.node !== a.node && !a.node.contains(b.node) && !b.node.contains(a.node) && near(a, b)),
      )
      .map((a) => `${name(a.node)}: ${a.width.toFixed()} × ${a.height.toFixed()}`);
  },

  /**
   * Drags the first slider without a pause, or takes the first other choice; how often the live regions spoke
   * meanwhile, and what they say in the end, which is waited for where something `must` be said.
   */
  async drag(place, must) {
    const root = at(place);
    const all = controls(root);
    // of which nothing is told
    const range = all.find((node) => node.type === "range" && !node.closest("label")?.textContent.startsWith("speed"));
    const other =
      all.find((node) => (node.type === "radio" && !node.checked) || node.localName === "select") ??
      all.find(
        (node) => node.localName === "button" && !node.matches("form > [type=submit], form > button:not([type])"),
      ) ?? // what is asked already changes nothing
      all.find((node) => node.localName === "button");
    let changes = 0;
    const watcher = new MutationObserver((more) => {
      changes += more.length;
    });
    for (const region of spoken(root)) watcher.observe(region, { childList: true, characterData: true, subtree: true });
    const before = root.innerText;
    const release = held();
    for (let i = 0; i <= 20; i++) {
      if (range) {
        range.value = Number(range.min) + (i / 20) * (range.max - range.min);
        give(range, "input", "change");
      }
      await frame();
    }
    const during = changes;
    release();
    for (const way of range ? [] : ways(other).slice(0, 2)) way();
    for (const picture of all.filter((node) => node.matches("figure [tabindex='0']")).slice(0, 1))
      press(picture, "ArrowRight", true);
    const says = () => textOf(spoken(root)).trim();
    // a translation may take its time
    for (let i = 0; i < 240 && (i < 6 || (must && !says())); i++) await new Promise((done) => setTimeout(done, 250));
    watcher.disconnect();
    return { during, changed: root.innerText !== before, says: says() };
  },
};

function hide(hidden) {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  Object.defineProperty(document, "visibilityState", {
    configurable: true,
    get: () => (hidden ? "hidden" : "visible"),
  });
  document.dispatchEvent(new Event("visibilitychange"));
}
