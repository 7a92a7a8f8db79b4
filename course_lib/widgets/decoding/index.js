// Decoding, live: a translation or a sentence of a small language beam by beam, or a town's name letter by letter. This
// file opens the model and keeps the settings; the panels translator.js and towns.js compute and draw.

import { loadData } from "../runtime/data.js";
import { openModel } from "../runtime/shipped.js";
import { rootOf } from "../shell/root.js";
import { settingsOf } from "../shell/traits.js";
import { announcer, h, oncePerFrame, setAttr, setAttrs } from "../drawing/ui.js";
import { CODECS } from "./address.js";
import * as sampled from "./towns.js";
import * as searched from "./translator.js";

const PANELS = {
  translator: {
    name: "english_french",
    label: "Beam search",
    settings: settingsOf(searched.SETTINGS),
    make: searched.translator,
  },
  table: { label: "Beam search", settings: settingsOf(searched.DIALS), make: searched.translator },
  towns: { name: "towns", label: "The next letter", settings: settingsOf(sampled.SETTINGS), make: sampled.towns },
};

async function render({ model, el }) {
  const mode = model.get("model");
  const { name, label, settings, make } = PANELS[mode];
  const root = rootOf(el, `dec dec-of-${mode}`, label, { "aria-busy": "true", "data-model": mode });
  const shell = settings.open(model, CODECS[mode]);
  const waiting = h("p", { class: "course-soft" }, "Getting ready …");
  root.append(waiting);
  let opened;
  try {
    opened = name && (await openModel(model, name));
  } catch (error) {
    setAttr(root, "aria-busy", false);
    waiting.replaceWith(h("p", { role: "alert" }, error.message));
    return;
  }

  const voice = announcer(900);
  const change = (part) => {
    shell.change(part);
    shell.save();
  };
  let theme = "light";
  let closed = false;
  let told = "";
  const redraw = oncePerFrame(draw);
  const panel = make({
    opened,
    get: (setting) => model.get(setting),
    change,
    redraw,
    examples: model.get("examples"),
    real: () => loadData(model, "real"),
  });
  root.replaceChildren(panel.el, voice.el);

  function draw() {
    if (closed) return;
    const { words, quiet, busy = false, data, back } = panel.draw({ theme });
    setAttr(root, "aria-busy", busy);
    if (!quiet) voice.tell(words);
    setAttrs(root, data, "data-");
    const now = back && JSON.stringify(back);
    if (back && now !== told) {
      told = now;
      model.set(back);
      shell.save();
    }
    shell.link(shell.values());
  }
  const stop = shell.follow(redraw, {
    root,
    drawn: () => true,
    turned: (to) => {
      theme = to;
    },
  });
  draw();
  el.dataset.ready = "1";
  return () => {
    closed = true;
    stop();
    panel.close();
  };
}

const initialize = ({ model }) => PANELS[model.get("model")].settings.initialize({ model });
export default { initialize, render };
