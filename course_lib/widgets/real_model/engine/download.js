// The parts of a model, from this site and no other: from the browser's store where they are, else fetched and put
// there. Every part is compared with its SHA-256. In a page that was opened from a folder they come as scripts: a
// browser lets such a page fetch nothing.

import { digest } from "./sha256.js";

const STORE = "course-models-1";
const TRIES = 3;
const WAIT = 700; // ms before another try, longer each time
const MB = 1e6;

/** Where a model's files are: an absolute address, which a worker can use too. */
export const home = (name) =>
  new URL(`${globalThis.__course?.root ?? "_static/"}models/${name}/`, document.baseURI).href;
export const fromFolder = () => globalThis.location?.protocol === "file:";
export const stopped = () => Object.assign(Error("Stopped."), { name: "AbortError" });

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

/**
 * What a response says → the beginning of `room`, as a view of it. Small pieces, so that a part is never in memory
 * twice.
 */
async function poured(response, room, onBytes) {
  if (!response.ok) throw Error(`${response.status} ${response.statusText}`.trim());
  const reader = response.body.getReader();
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return room.subarray(0, length);
    if (length + value.length > room.length) throw Error("more arrived than was sent");
    room.set(value, length);
    length += value.length;
    onBytes(length);
  }
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
  for (const request of (await shelf?.keys()) ?? [])
    if (request.url.includes(`/models/${name}/`)) await shelf.delete(request);
}

/** Part `part` as it should be, from the store or by `source(part, onBytes)`, which is asked again where it fails. */
async function onePart(url, part, room, shelf, source, onBytes, signal) {
  const right = async (bytes) => bytes.length === part.bytes && (await digest(bytes)) === part.sha256;
  const held = await shelf?.match(url);
  if (held) {
    const bytes = await poured(held, room, () => {}).catch(() => []);
    if (await right(bytes)) return { bytes, fromCache: true };
    await shelf.delete(url);
  }
  for (let attempt = 1; ; attempt++) {
    try {
      const bytes = await source(part, onBytes);
      if (!(await right(bytes))) throw Error("what arrived is not what was sent");
      // a full store: this reading goes on, the next one fetches again
      await shelf?.put(url, new Response(bytes)).catch(() => {});
      return { bytes, fromCache: false };
    } catch (error) {
      if (signal?.aborted) throw stopped();
      if (attempt === TRIES) throw error;
      await new Promise((done) => setTimeout(done, WAIT * attempt));
    }
  }
}

/**
 * All parts of the model in their order, each handed to `take(number, part, bytes)` and waited for: only one is in
 * memory at a time, and its bytes are overwritten by the next. from: the address of the model's folder. Rejects with a
 * sentence for the reader where one cannot be had; what has come is kept, and the next call goes on from there.
 */
export async function parts(manifest, from, { take, onProgress = () => {}, signal }) {
  const total = manifest.bytes;
  const shelf = await store();
  const room = fromFolder() ? null : new Uint8Array(Math.max(...manifest.parts.map(({ bytes }) => bytes)));
  const source = async ({ file }, onBytes) =>
    room
      ? poured(await fetch(`${from}${file}.bin`, { signal }), room, onBytes)
      : fromBase64(await script(manifest.name, file));
  let loaded = 0;
  await shelf
    ?.put(`${from}parts`, new Response(JSON.stringify(manifest.parts.map(({ file }) => file))))
    .catch(() => {});
  for (const [number, part] of manifest.parts.entries()) {
    const tell = (here, fromCache = false) =>
      onProgress({ stage: "download", loaded: loaded + here, total, fromCache });
    if (signal?.aborted) throw stopped();
    let got = null;
    try {
      got = await onePart(`${from}${part.file}.bin`, part, room, shelf, source, tell, signal);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      const words =
        `The model's files stopped coming after ${(loaded / MB).toFixed(0)} of ` +
        `${(total / MB).toFixed(0)} MB (${error.message}).`;
      throw Error(`${words} ${shelf ? "What came is kept: ask again, and it goes on from there." : "Ask again."}`);
    }
    tell(part.bytes, got.fromCache);
    loaded += part.bytes;
    await take(number, part, got.bytes);
  }
}
