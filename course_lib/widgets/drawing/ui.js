// Small parts that all widgets share. Each returns {el, set}: an element, and a function that shows a value without
// calling `oninput`. Native inputs wherever there is one; labels wrap their input, so no ids that could clash.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}
/** h("p", {class: "note", onclick}, child, …): an HTML element. Strings become text, never markup. */
export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
/** The same for SVG. */
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

/** Sets text or an attribute only where it changes: an unchanged node costs the browser no layout. */
export const setText = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};
export const setAttr = (node, name, value) => {
  value = String(value);
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
};
/** Sets several: {name: value}; `prefix` "data-" stands before each name. */
export const setAttrs = (node, values, prefix = "") => {
  for (const [name, value] of Object.entries(values)) setAttr(node, prefix + name, value);
};

/** A button with a text; `kind`: a further class. */
export const button = (text, onclick, kind = "") =>
  h("button", { type: "button", class: `course-button ${kind}`.trim(), onclick }, text);

/** 1.234 → "1.23", with a true minus sign and no "−0.00". */
export const number = (x, digits = 2) => {
  const text = Math.abs(x).toFixed(digits);
  return x < 0 && Number(text) !== 0 ? `−${text}` : text;
};
export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

/** A labelled range input with its value beside it. scale "log": equal steps are equal factors. */
export function slider({ label, min, max, step = 0.01, value, format = number, scale = "linear", oninput }) {
  const [there, back] = scale === "log" ? [Math.log10, (t) => 10 ** t] : [(x) => x, (t) => t];
  const input = h("input", { type: "range", min: there(min), max: there(max), step: scale === "log" ? "any" : step });
  const output = h("output", { "aria-hidden": "true" });
  // by its id: a label round all three would name the output, which comes first
  const name = h(
    "span",
    { class: "course-label", id: `course-${Math.random().toString(36).slice(2)}` },
    ...[label].flat(),
  );
  setAttr(input, "aria-labelledby", name.id);
  const set = (x) => {
    input.value = there(x);
    setText(output, format(x));
    setAttr(input, "aria-valuetext", format(x));
    setAttr(input, "style", `--part: ${(there(x) - there(min)) / (there(max) - there(min))}`);
  };
  const give = (x) => {
    set(clamp(x, min, max));
    oninput(clamp(x, min, max));
  };
  input.addEventListener("input", () => give(back(Number(input.value))));
  if (scale === "log") {
    // with step "any" the arrow keys jump by the browser's own idea of a step
    const keys = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 };
    input.addEventListener("keydown", (event) => {
      if (!(event.key in keys)) return;
      event.preventDefault();
      give(back(Number(input.value) + keys[event.key] * step));
    });
  }
  set(value);
  return {
    el: h("label", { class: "course-slider" }, name, output, input),
    input,
    set,
  };
}

/** A switch: a checkbox with its label. */
export function toggle({ label, value, oninput }) {
  const input = h("input", { type: "checkbox", role: "switch" });
  const set = (on) => {
    input.checked = on;
  };
  input.addEventListener("input", () => oninput(input.checked));
  set(value);
  return { el: h("label", { class: "course-toggle" }, input, h("span", {}, ...[label].flat())), input, set };
}

/** One of a few: radio buttons drawn as one segmented bar. options: [{value, label}]. */
export function choice({ legend, options, value, oninput }) {
  const name = `course-${Math.random().toString(36).slice(2)}`; // radio groups are joined by name over the whole page
  const inputs = options.map((option) =>
    h("input", { type: "radio", name, value: option.value, onchange: () => oninput(option.value) }),
  );
  const set = (chosen) => {
    for (const input of inputs) input.checked = input.value === chosen;
  };
  set(value);
  const labels = options.map((option, i) => h("label", {}, inputs[i], h("span", {}, option.label)));
  return {
    el: h("fieldset", { class: "course-choice" }, h("legend", { class: "course-hidden" }, legend), ...labels),
    set,
  };
}

/** An angle in degrees, (-180, 180], as a knob: turn it with the pointer or the arrow keys (5°, with Shift 1°). */
export function dial({ label, value, oninput }) {
  const hand = svg("line", { class: "course-dial-hand", x1: 0, y1: 0, y2: 0 });
  const tip = svg("circle", { class: "course-dial-tip", r: 4.5, cy: 0 });
  const turn = svg("g", {}, hand, tip);
  const ticks = [0, 90, 180, 270].map((angle) =>
    svg("line", { class: "course-dial-tick", x1: 23, x2: 26, transform: `rotate(${angle})` }),
  );
  const face = svg(
    "svg",
    {
      viewBox: "-30 -30 60 60",
      class: "course-dial",
      role: "slider",
      tabindex: 0,
      "aria-label": label,
      "aria-valuemin": -180,
      "aria-valuemax": 180,
    },
    svg("circle", { class: "course-dial-face", r: 26 }),
    ...ticks,
    turn,
  );
  let angle = 0;
  const set = (degrees, length = 1) => {
    angle = degrees;
    setAttr(turn, "transform", `rotate(${-degrees})`);
    setAttr(hand, "x2", 20 * length);
    setAttr(tip, "cx", 20 * length);
    setAttr(face, "aria-valuenow", Math.round(degrees));
    setAttr(face, "aria-valuetext", `${Math.round(degrees)} degrees`);
  };
  const give = (degrees) => {
    angle = degrees - 360 * Math.ceil((degrees - 180) / 360); // at once: a second key may come before the next frame
    oninput(angle);
  };
  const point = (event) => {
    const box = face.getBoundingClientRect();
    const x = event.clientX - box.left - box.width / 2;
    const y = box.top + box.height / 2 - event.clientY;
    if (Math.hypot(x, y) > 3) give(Math.round((Math.atan2(y, x) * 180) / Math.PI));
  };
  draggable(face, { move: point, start: point });
  const steps = { ArrowUp: 5, ArrowRight: 5, ArrowDown: -5, ArrowLeft: -5, PageUp: 45, PageDown: -45 };
  face.addEventListener("keydown", (event) => {
    if (event.key === "Home") give(0);
    else if (event.key in steps) give(angle + steps[event.key] / (event.shiftKey ? 5 : 1));
    else return;
    event.preventDefault();
  });
  set(value);
  return { el: face, set };
}

/** Follows one pointer from press to release, with capture, so that a drag survives leaving the element. */
export function draggable(node, { start = () => {}, move, end = () => {} }) {
  let pointer = null;
  node.style.touchAction = "none"; // the page must not scroll under a finger that drags
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || pointer !== null) return;
    pointer = event.pointerId;
    node.setPointerCapture(pointer);
    node.focus({ preventScroll: true });
    event.preventDefault();
    start(event);
  });
  node.addEventListener("pointermove", (event) => {
    if (event.pointerId === pointer) move(event);
  });
  const stop = (event) => {
    if (event.pointerId === pointer) {
      pointer = null;
      end(event);
    }
  };
  node.addEventListener("pointerup", stop);
  node.addEventListener("pointercancel", stop);
}

/**
 * A polite live region: `say` speaks what is true once the reader has paused, not every step of a drag. `tell` does so
 * where the text is not the one told before, and never the first time: nothing is spoken before the reader has touched
 * something.
 */
export function announcer(pause = 700) {
  const el = h("div", { class: "course-hidden", role: "status", "aria-live": "polite" });
  let clock = null;
  const say = (text) => {
    clearTimeout(clock);
    clock = setTimeout(() => setText(el, text), pause);
  };
  let told = null;
  const tell = (text, spoken = text) => {
    if (told !== null && text !== told) say(spoken);
    told = text;
  };
  return { el, say, tell };
}

/** Calls `draw` once before the next frame, however often it is asked. */
export function oncePerFrame(draw) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  };
}

/** Calls `act` at most once in `pause` milliseconds, and always once after the last request. */
export function atMostEvery(pause, act) {
  let clock = null;
  return () => {
    if (clock === null)
      clock = setTimeout(() => {
        clock = null;
        act();
      }, pause);
  };
}

/** Is the page dark? By the marks of the book, JupyterLab, VS Code and Colab, else by the colour behind the element. */
export function isDark(el) {
  const { dataset: page } = document.documentElement;
  const { dataset: lab } = document.body;
  if (page.theme === "dark" || page.theme === "light") return page.theme === "dark";
  if (lab.jpThemeLight) return lab.jpThemeLight === "false";
  for (let node = el.parentElement; node; node = node.parentElement) {
    const [r, g, b, a = 1] =
      getComputedStyle(node)
        .backgroundColor.match(/[\d.]+/g)
        ?.map(Number) ?? [];
    if (a > 0.5) return 0.299 * r + 0.587 * g + 0.114 * b < 128;
  }
  return false;
}

/**
 * Keeps data-course-theme="light" or "dark" on the element, and calls `changed` when it turns. Returns a function that
 * stops it.
 */
export function watchTheme(el, changed) {
  let known = "";
  const look = () => {
    const theme = isDark(el) ? "dark" : "light";
    if (theme === known) return;
    el.dataset.courseTheme = known = theme;
    changed(theme);
  };
  const watcher = new MutationObserver(look);
  const attributeFilter = ["data-theme", "data-jp-theme-light", "class", "theme"];
  watcher.observe(document.documentElement, { attributes: true, attributeFilter });
  watcher.observe(document.body, { attributes: true, attributeFilter });
  look();
  return () => watcher.disconnect();
}
