// A real model behind messages: the same code runs in a worker, and on the page itself where no worker may start.
//
// In: { type: "open", manifest }, { type: "part", number, bytes }, { type: "call", id, name, args }, { type: "cancel",
// id }.
// Out: { type: "opened", kind }, { type: "taken" }, { type: "answer", id, value }, { type: "news", id, news }, { type:
// "refused", id, words, name }. News are the cells of a patch map, or how far a download is.

import { makeDecoder } from "./decoder.js";
import { parts, stopped } from "./download.js";
import { makeEncoder } from "./encoder.js";
import { patchMap } from "./patch_map.js";
import { makeReader } from "./reader.js";

const BREATH = 80; // ms between two looks at what the page has sent
const CALLS = ["run", "next", "lens", "lensOf", "means"];

const breathe = () => new Promise((done) => setTimeout(done));

/** A session that answers by post(message); it returns what takes the page's messages. */
export function session(post) {
  let manifest = null;
  let model = null;
  let reader = null;
  let busy = Promise.resolve();
  const stops = new Map(); // id of a call that waits or runs → its AbortController

  function open(message) {
    manifest = message.manifest;
    const { causal } = manifest.config;
    model = causal ? makeDecoder(manifest) : makeEncoder(manifest);
    reader = causal ? makeReader(model, manifest.reference) : model;
    post({ type: "opened", kind: model.kind });
  }

  /** All parts from the folder at address `from`; the vocabulary's text. */
  async function download(from, { onNews, signal }) {
    let vocabulary = null;
    const take = (number, { role }, bytes) => {
      if (role === "vocabulary") vocabulary = new TextDecoder().decode(bytes);
      else model.add(number, bytes);
    };
    await parts(manifest, from, { take, onProgress: onNews, signal });
    return vocabulary;
  }

  function patches(clean, dirty, options, { onNews, signal }) {
    let since = performance.now();
    const pause = async () => {
      if (performance.now() - since < BREATH) return false;
      await breathe();
      since = performance.now();
      if (signal.aborted) throw stopped();
      return true;
    };
    return patchMap(model, reader, clean, dirty, { ...options, pause, onCells: onNews });
  }

  async function answer(id, name, args) {
    const { signal } = stops.get(id);
    const onNews = (news) => post({ type: "news", id, news });
    if (signal.aborted) throw stopped();
    if (name === "download") return download(...args, { onNews, signal });
    if (name === "patchMap" && model.config.causal) return patches(...args, { onNews, signal });
    if (CALLS.includes(name) && reader[name]) return reader[name](...args);
    throw Error(`this model answers no call ${name}`);
  }

  async function call({ id, name, args }) {
    await breathe(); // what the page has taken back meanwhile is heard first
    try {
      post({ type: "answer", id, value: await answer(id, name, args) });
    } catch (error) {
      reader.forget?.();
      post({ type: "refused", id, words: error.message, name: error.name });
    }
    stops.delete(id);
  }

  return (message) => {
    try {
      if (message.type === "open") open(message);
      if (message.type === "part") {
        model.add(message.number, message.bytes);
        post({ type: "taken" });
      }
    } catch (error) {
      post({ type: "refused", id: null, words: error.message, name: error.name });
    }
    if (message.type === "cancel") stops.get(message.id)?.abort();
    if (message.type === "call") {
      stops.set(message.id, new AbortController());
      busy = busy.then(() => call(message));
    }
  };
}
