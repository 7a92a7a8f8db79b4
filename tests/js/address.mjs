// Settings as text, and in a page's address, for tests/book/test_address.py. Reads {texts: [[declaration, texts]],
// pages} from standard input; a declaration is one of a settings.json; a page {published, url, widgets: [{address,
// values}], steps: [[widget, changed values]]}.

import { readFileSync } from "node:fs";
import { codecsOf } from "../../course_lib/widgets/shell/settings.js";
import { settingsOf } from "../../course_lib/widgets/shell/traits.js";

const { texts, pages } = JSON.parse(readFileSync(0, "utf8"));
const made = (declared) => codecsOf({ one: declared }).one;
const CODECS = codecsOf({
  row: { kind: "whole", takes: [0, 9] },
  share: { kind: "number", takes: [0, 1] },
  shown: { kind: "flag" },
});

// What a browser has: here the address changes when a waiting clock is over, and `run` ends all that wait.
const waiting = [];
const run = () => {
  while (waiting.length) waiting.shift()();
};
globalThis.setTimeout = (action) => waiting.push(action);

function visit({ published, url, widgets, steps }) {
  globalThis.__course = published ? { root: "./" } : {};
  globalThis.location = new URL(url, "https://book.test/");
  globalThis.history = {
    state: null,
    replaceState(_state, _title, to) {
      globalThis.location = new URL(to, location);
    },
  };
  const settings = settingsOf(Object.keys(CODECS));
  const opened = widgets.map(({ address, values }) => {
    const held = { address, ...values };
    const model = {
      get: (name) => held[name],
      set: (name, value) => {
        held[name] = value;
      },
      save_changes() {},
    };
    settings.initialize({ model });
    return settings.open(model, CODECS);
  });
  const begun = opened.map((each) => each.values());
  const urls = steps.map(([widget, changed]) => {
    opened[widget].change(changed);
    opened[widget].link(opened[widget].values());
    run();
    return location.pathname + location.search + location.hash;
  });
  return { begun, urls };
}

process.stdout.write(
  JSON.stringify({
    texts: texts.map(([codec, each]) => each.map((text) => made(codec).read(text))),
    pages: pages.map(visit),
  }),
  () => process.exit(0),
);
