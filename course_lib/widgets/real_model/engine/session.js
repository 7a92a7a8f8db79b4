// The language model behind messages: the same code runs in a worker, and on the page itself where no worker may start.
//
// In: { type: "open", manifest }, { type: "part", number, bytes }, { type: "call", id, name, args }, { type: "cancel", id }.
// Out: { type: "opened", kind }, { type: "taken", number }, { type: "answer", id, value }, { type: "cells", id, cells },
// { type: "refused", id, words, name }.

import { makeDecoder } from "./decoder.js";
import { makeEncoder } from "./encoder.js";
import { patchMap } from "./patch_map.js";
import { makeReader } from "./reading.js";

const BREATH = 80; // ms between two looks at what the page has sent
const CALLS = ["run", "next", "lens", "lensOf", "means"];

const breathe = () => new Promise((done) => setTimeout(done));

/** A session that answers by post(message); it returns what takes the page's messages. */
export function session(post) {
  let model = null;
  let reader = null;
  let busy = Promise.resolve();
  const cancelled = new Set();

  function open({ manifest }) {
    model = (manifest.config.causal ? makeDecoder : makeEncoder)(manifest);
    reader = manifest.config.causal ? makeReader(model, manifest.reference) : model;
    post({ type: "opened", kind: model.kind });
  }

  async function answer(id, name, args) {
    if (cancelled.has(id)) throw Object.assign(Error("Stopped."), { name: "AbortError" });
    if (CALLS.includes(name) && reader[name]) return reader[name](...args);
    if (name !== "patchMap" || !model.config.causal) throw Error(`this model answers no call ${name}`);
    let since = performance.now();
    const [clean, dirty, options] = args;
    const pause = async () => {
      if (performance.now() - since < BREATH) return false;
      await breathe();
      since = performance.now();
      if (cancelled.has(id)) throw Object.assign(Error("Stopped."), { name: "AbortError" });
      return true;
    };
    const onCells = (cells) => post({ type: "cells", id, cells });
    return patchMap(model, reader, clean, dirty, { ...options, pause, onCells });
  }

  async function call({ id, name, args }) {
    await breathe(); // what the page has taken back meanwhile is heard first
    try {
      post({ type: "answer", id, value: await answer(id, name, args) });
    } catch (error) {
      reader?.forget?.();
      post({ type: "refused", id, words: error.message, name: error.name });
    }
    cancelled.delete(id);
  }

  return (message) => {
    try {
      if (message.type === "open") open(message);
      if (message.type === "part") {
        model.add(message.number, message.bytes);
        post({ type: "taken", number: message.number });
      }
      if (message.type === "cancel") cancelled.add(message.id);
    } catch (error) {
      post({ type: "refused", id: null, words: error.message, name: error.name });
    }
    if (message.type === "call") busy = busy.then(() => call(message));
  };
}
