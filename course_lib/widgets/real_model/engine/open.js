// The page's end of a real model: it is loaded, started in a worker, and asked by promises.

import { connect } from "../../runtime/remote.js";
import { forget, fromFolder, home, kept, manifestOf, offered, parts } from "./download.js";
import { session } from "./session.js";

export { forget, kept, offered };

const fault = (words, name = "Error") => Object.assign(Error(words), { name });

/**
 * The model `name` that this book carries, once its parts are there: { config, vocabulary, run, next, lens, lensOf,
 * means, patchMap, close }. worker: the text of its worker. onProgress({ stage, loaded, total, fromCache }): bytes.
 * signal: of an AbortController.
 * Rejects with a sentence for the reader.
 */
export async function openModel({ name, worker, onProgress, signal }) {
  if (!offered()[name]) throw Error("This book was made without the model's files.");
  const manifest = await manifestOf(name);
  const waiting = new Map(); // id of a call, "opened" or "taken" → { done, refuse, onNews }
  let calls = 0;

  const heard = (message) => {
    if (message.type === "news") return waiting.get(message.id)?.onNews?.(message.news);
    if (message.type === "error" || (message.type === "refused" && message.id === null)) {
      for (const { refuse } of waiting.values()) refuse(fault(message.words, message.name));
      return waiting.clear();
    }
    const key = message.id ?? message.type;
    const asked = waiting.get(key);
    waiting.delete(key);
    if (message.type === "refused") asked?.refuse(fault(message.words, message.name));
    else asked?.done(message.type === "answer" ? message.value : message);
  };
  const remote = connect(worker, heard, session);
  const told = (key, message, onNews) =>
    new Promise((done, refuse) => {
      waiting.set(key, { done, refuse, onNews });
      remote.send(message);
    });

  function ask(call, args, { signal: stop, onNews } = {}) {
    const id = ++calls;
    if (stop?.aborted) return Promise.reject(fault("Stopped.", "AbortError"));
    stop?.addEventListener("abort", () => remote.send({ type: "cancel", id }), { once: true });
    return told(id, { type: "call", id, name: call, args }, onNews);
  }

  /** From a folder the page itself must load the parts; else the worker does, and the page only hears how far it is. */
  async function download() {
    if (!fromFolder()) return ask("download", [home(name)], { signal, onNews: onProgress });
    let vocabulary = null;
    const take = async (number, { role }, bytes) => {
      if (role === "vocabulary") vocabulary = new TextDecoder().decode(bytes);
      else await told("taken", { type: "part", number, bytes });
    };
    await parts(manifest, home(name), { take, onProgress, signal });
    return vocabulary;
  }

  let vocabulary = null;
  try {
    await told("opened", { type: "open", manifest });
    vocabulary = JSON.parse(await download());
  } catch (error) {
    remote.close();
    if (error.name === "RangeError") throw Error("This browser has not enough memory for the model.");
    throw error;
  }

  return {
    name,
    title: manifest.title,
    licence: manifest.licence,
    stored: false,
    kind: remote.kind,
    config: manifest.config,
    vocabulary,
    run: (tokens, options) => ask("run", [tokens, options]),
    next: (tokens, options) => ask("next", [tokens, options]),
    lens: (rows, options) => ask("lens", [rows, options]),
    lensOf: (tokens, place, options) => ask("lensOf", [tokens, place, options]),
    means: (texts) => ask("means", [texts]),
    patchMap: (clean, dirty, { onCells, signal: stop, ...options }) =>
      ask("patchMap", [clean, dirty, options], { onNews: onCells, signal: stop }),
    close: () => remote.close(),
  };
}
