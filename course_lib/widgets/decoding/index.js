// Decoding, live: a translation beam by beam, or a town's name letter by letter. This file opens the model, holds the settings (the
// widget's model is the one truth) and the page's address; the panels translator.js and towns.js compute and draw.

import { pageAddress } from "../shell/address.js";
import { loadData } from "../runtime/data.js";
import { CODECS, decoded } from "./address.js";
import * as sampled from "./towns.js";
import * as searched from "./translator.js";
import { openModel } from "../runtime/shipped.js";
import { announcer, atMostEvery, h, oncePerFrame, setAttr, watchTheme } from "../drawing/ui.js";

const PANELS = {
  translator: { name: "english_french", label: "Beam search", settings: searched.SETTINGS, make: searched.translator },
  towns: { name: "towns", label: "The next letter", settings: sampled.SETTINGS, make: sampled.towns },
};
const begun = new WeakMap(); // model → the author's settings: the address names only what differs
const settingsOf = (model) => Object.fromEntries(PANELS[model.get("model")].settings.map((name) => [name, model.get(name)]));

async function render({ model, el }) {
  const mode = model.get("model");
  const { name, label, settings, make } = PANELS[mode];
  const codecs = CODECS[mode];
  const authored = begun.get(model) ?? settingsOf(model);
  begun.set(model, authored);
  const root = h("div", {
    class: `course-ui dec dec-of-${mode}`,
    role: "group",
    "aria-busy": "true",
    "aria-label": label,
    "data-model": mode,
  });
  el.replaceChildren(root);
  const address = pageAddress(model);
  const linked = address.read();
  for (const setting of settings) {
    const [known, value] = linked[setting] === undefined ? [false] : decoded(codecs[setting].read(linked[setting]));
    if (known) model.set(setting, value);
  }
  const waiting = h("p", { class: "dec-soft" }, "Getting ready …");
  root.append(waiting);
  let opened;
  try {
    opened = await openModel(model, name);
  } catch (error) {
    setAttr(root, "aria-busy", false);
    waiting.replaceWith(h("p", { role: "alert" }, error.message));
    return;
  }

  const save = atMostEvery(200, () => model.save_changes());
  const voice = announcer(900);
  const get = (setting) => model.get(setting);
  const change = (part) => {
    for (const [setting, value] of Object.entries(part)) model.set(setting, value);
    save();
  };
  let theme = "light";
  let closed = false;
  let spoken = "";
  let told = "";
  const redraw = oncePerFrame(draw);
  const panel = make({ opened, get, change, redraw, examples: get("examples"), real: () => loadData(model, "real") });
  root.replaceChildren(panel.el, voice.el);

  function draw() {
    if (closed) return;
    const { words, quiet, busy = false, data, back } = panel.draw({ theme });
    setAttr(root, "aria-busy", busy);
    if (!quiet && words !== spoken) {
      if (spoken) voice.say(words);
      spoken = words;
    } // nothing is spoken before the reader has touched something
    for (const [key, value] of Object.entries(data)) setAttr(root, `data-${key}`, value);
    const now = back && JSON.stringify(back);
    if (back && now !== told) {
      told = now;
      model.set(back);
      save();
    }
    address.write(
      Object.fromEntries(
        settings.map((setting) => {
          const written = codecs[setting].write(get(setting));
          return [setting, written === codecs[setting].write(authored[setting]) ? null : written];
        }),
      ),
    );
  }
  const listeners = settings.map((setting) => [
    `change:${setting}`,
    () => {
      panel.reactions?.[setting]?.();
      redraw();
    },
  ]);
  for (const [event, act] of listeners) model.on(event, act);
  const unwatch = watchTheme(root, (now) => {
    theme = now;
    redraw();
  });
  draw();
  el.dataset.ready = "1";
  return () => {
    closed = true;
    unwatch();
    panel.close();
    for (const [event, act] of listeners) model.off(event, act);
  };
}

export default {
  initialize: ({ model }) => {
    begun.set(model, settingsOf(model));
  },
  render,
};
