// From the recorded runs to a model that is alive: nothing is fetched before the reader has pressed a button that says
// how much it is.

import { forget, kept, offered, openModel } from "./engine/open.js";
import { live } from "./live.js";
import { button, h, setAttr, setText } from "../drawing/ui.js";

const MB = 1e6;
const LITTLE = 4; // GB of memory: a device with less gets the small model first
const NARROW = 600; // of the screen, where a browser does not tell the memory
const FOR = { smollm2: "next words, and all views", minilm: "maps, and how far each layer turns each row" };
const mega = (bytes) => `${Math.round(bytes / MB)} MB`;

/** Has the device little memory? Some browsers tell, of the others a narrow screen is a sign. */
export const little = ({ deviceMemory } = navigator, width = globalThis.screen?.width ?? Infinity) =>
  deviceMemory === undefined ? width < NARROW : deviceMemory < LITTLE;

/** workerText(): promises the worker's text. opened(name, provider): it is there. changed(): draw again. */
export function opening({ workerText, opened }) {
  const words = h("p", { class: "course-soft" });
  const bar = h("progress", { "aria-label": "Loaded" });
  const buttons = h("div", { class: "course-buttons" });
  const fault = h("p", { class: "course-problem", role: "status" });
  const el = h("div", { class: "real-opening" }, words, bar, buttons, fault);
  const there = new Map(); // name → provider
  let stop = null;
  const carried = offered();
  const names = Object.keys(carried).sort((a) => (a === "minilm" ? -1 : 1) * (little() ? 1 : -1));

  async function open(name) {
    stop = new AbortController();
    setText(fault, "");
    show();
    try {
      const worker = await workerText();
      const onProgress = ({ stage, loaded, total, fromCache }) => {
        setAttr(bar, "max", total);
        setAttr(bar, "value", loaded);
        setText(
          words,
          stage === "prepare"
            ? "Getting ready …"
            : `${mega(loaded)} of ${mega(total)}${fromCache ? ", from this browser's store" : ""}`,
        );
      };
      const model = await openModel({ name, worker, onProgress, signal: stop.signal });
      there.set(name, live(model));
      stop = null;
      opened(name);
    } catch (error) {
      stop = null;
      if (error.name !== "AbortError") setText(fault, error.message);
    }
    show();
  }
  function show() {
    bar.hidden = stop === null;
    setAttr(el, "data-open", [...there.keys()].join(","));
    setAttr(el, "data-loading", stop !== null);
    if (stop) {
      setText(words, "Getting ready …");
      bar.removeAttribute("value");
      return buttons.replaceChildren(button("stop", () => stop?.abort()));
    }
    const missing = names.filter((name) => !there.has(name));
    if (!names.length)
      setText(
        words,
        "This copy of the book carries no model: you see recorded runs of SmolLM2 on three sentences. With " +
          "COURSE_MODELS=1 the book is built with the model in it.",
      );
    else if (there.size)
      setText(
        words,
        `${[...there.values()].map(({ name }) => name).join(" and ")}: alive in this page. Type a sentence of ` +
          `your own.`,
      );
    else
      setText(
        words,
        `You see recorded runs of SmolLM2 on three sentences. ` +
          `${little() ? "This device seems to have little memory: begin with the small model. " : ""}Nothing is ` +
          `fetched before you ask for it.`,
      );
    buttons.replaceChildren(
      ...missing.map((name, i) => {
        const { title, bytes } = carried[name];
        const node = button(
          `load ${title}, ${mega(bytes)}`,
          () => open(name),
          i === 0 && !there.size ? "course-main" : "",
        );
        setAttr(node, "title", FOR[name] ?? "");
        kept(name).then((yes) => {
          if (yes) setText(node, `open ${title} from this browser's store`);
        });
        return node;
      }),
      ...(there.size ? [button("empty this browser's store", () => Promise.all(names.map(forget)).then(show))] : []),
    );
  }
  show();
  return {
    el,
    get: (name) => there.get(name) ?? null,
    close() {
      stop?.abort();
      for (const provider of there.values()) provider.close();
    },
  };
}
