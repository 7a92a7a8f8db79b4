// The parts of a model, from this site and no other: from the browser's store where they are, else fetched and put there. Every part is
// compared with its SHA-256. In a page that was opened from a folder they come as scripts: a browser lets such a page fetch nothing.

import { digest } from "./sha256.js";

const STORE = "course-models-1";
const TRIES = 3;
const WAIT = 700; // ms before another try, longer each time
const MB = 1e6;

const home = (name) => `${globalThis.__course?.root ?? "_static/"}models/${name}/`;
const fromFolder = () => globalThis.location?.protocol === "file:";
const stopped = () => Object.assign(Error("Stopped."), { name: "AbortError" });

/** What this built book carries: name → { title, bytes, memory }. {} where it was built without models. */
export const offered = () => globalThis.__course_models ?? {};

/** The text that script `file` of a model's folder hands over. */
function script(name, file) {
  return new Promise((done, refuse) => {
    const tag = document.createElement("script");
    const waiting = `${name}/${file}`;
    globalThis.__course_model ??= (of, what, text) => globalThis.__course_model.waiting.get(`${of}/${what}`)?.(text);
    globalThis.__course_model.waiting ??= new Map();
    globalThis.__course_model.waiting.set(waiting, done);
    tag.src = `${home(name)}${file}.js`;
    tag.onload = () => {
      tag.remove();
      globalThis.__course_model.waiting.delete(waiting);
    };
    tag.onerror = () => {
      tag.remove();
      refuse(Error(`${file}.js of the model could not be loaded`));
    };
    document.head.append(tag);
  });
}

const fromBase64 = (text) =>
  Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** The browser's store, or null where a page may keep nothing: plain http, a folder, a private window. */
async function store() {
  if (fromFolder()) return null;
  try {
    return (await globalThis.caches?.open(STORE)) ?? null;
  } catch {
    return null;
  }
}

async function fetched(url, onBytes, signal) {
  const response = await fetch(url, { signal });
  if (!response.ok) throw Error(`${response.status} ${response.statusText}`.trim());
  const reader = response.body.getReader();
  const pieces = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    length += value.length;
    onBytes(length);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** The manifest of a model: small, and asked for only after the reader's press. */
export async function manifestOf(name) {
  return JSON.parse(await script(name, "manifest"));
}

/** Whether every part is in the browser's store; false where that cannot be told without asking the site. */
export async function kept(name) {
  try {
    const shelf = await store();
    const listed = await shelf?.match(`${home(name)}parts`);
    if (!listed) return false;
    const found = await Promise.all((await listed.json()).map((file) => shelf.match(`${home(name)}${file}.bin`)));
    return found.every(Boolean);
  } catch {
    return false;
  }
}

/** Forget a model's parts. */
export async function forget(name) {
  const shelf = await store();
  for (const request of (await shelf?.keys()) ?? []) if (request.url.includes(`/models/${name}/`)) await shelf.delete(request);
}

async function onePart(name, part, shelf, onBytes, signal) {
  const url = `${home(name)}${part.file}.bin`;
  const right = async (bytes) => bytes.length === part.bytes && (await digest(bytes)) === part.sha256;
  const held = await shelf?.match(url);
  if (held) {
    const bytes = new Uint8Array(await held.arrayBuffer());
    if (await right(bytes)) return { bytes, fromCache: true };
    await shelf.delete(url);
  }
  let trouble = null;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (signal?.aborted) throw stopped();
    try {
      const bytes = fromFolder() ? fromBase64(await script(name, part.file)) : await fetched(url, onBytes, signal);
      if (!(await right(bytes))) throw Error("what arrived is not what was sent");
      await shelf?.put(url, new Response(bytes)).catch(() => {}); // a full store: this reading goes on, the next one fetches again
      return { bytes, fromCache: false };
    } catch (error) {
      if (signal?.aborted) throw stopped();
      trouble = error;
      if (attempt < TRIES - 1) await new Promise((done) => setTimeout(done, WAIT * (attempt + 1)));
    }
  }
  throw trouble;
}

/**
 * All parts of the model in their order, each handed to `take(number, part, bytes)` and waited for: only one is in memory at a time.
 * Rejects with a sentence for the reader where one cannot be had; what has come is kept, and the next call goes on from there.
 */
export async function parts(manifest, { take, onProgress = () => {}, signal }) {
  const { name, bytes: total } = manifest;
  const shelf = await store();
  let loaded = 0;
  await shelf?.put(`${home(name)}parts`, new Response(JSON.stringify(manifest.parts.map(({ file }) => file)))).catch(() => {});
  for (const [number, part] of manifest.parts.entries()) {
    const tell = (here, fromCache = false) => onProgress({ stage: "download", loaded: loaded + here, total, fromCache });
    let got = null;
    try {
      got = await onePart(name, part, shelf, tell, signal);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      const words = `The model's files stopped coming after ${(loaded / MB).toFixed(0)} of ${(total / MB).toFixed(0)} MB (${error.message}).`;
      throw Error(`${words} ${shelf ? "What came is kept: ask again, and it goes on from there." : "Ask again."}`);
    }
    tell(part.bytes, got.fromCache);
    loaded += part.bytes;
    await take(number, part, got.bytes);
  }
}
