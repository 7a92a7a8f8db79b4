// A widget's larger data, found by content key. The state holds the key only; the bytes come
// - in a published page from `_static/data/<key>.js`, a script that calls __course.deliver(key, text): a script tag, unlike
//   fetch, also works in a page opened from a file;
// - from Python, where a kernel is alive, by message.
// Each widget is a bundle of its own, so what they share (one load a key) stands on globalThis.__course, not in this module.

const PATIENCE = 20_000;

function shared() {
  const course = (globalThis.__course ??= {});
  course.texts ??= new Map(); // key → text, delivered
  course.waiting ??= new Map(); // key → functions to call with the text
  course.loads ??= new Map(); // key → promise of the text or bytes
  course.deliver ??= (key, text) => {
    course.texts.set(key, text);
    for (const tell of course.waiting.get(key) ?? []) tell(text);
    course.waiting.delete(key);
  };
  return course;
}

function fromPage(course, key, done, fail) {
  if (course.texts.has(key)) return done(course.texts.get(key));
  course.waiting.set(key, [...(course.waiting.get(key) ?? []), done]);
  const script = document.createElement("script");
  script.src = `${course.root}data/${key}.js`;
  script.onerror = () => fail(`The file data/${key}.js of this page is missing.`);
  document.head.append(script);
}

function fromKernel(model, key, done, fail) {
  const hear = (message, buffers) => {
    if (message?.type !== "data" || message.key !== key) return;
    model.off("msg:custom", hear);
    if (message.error) return fail(`Python answered: ${message.error}.`);
    const { buffer, byteOffset, byteLength } = buffers[0].buffer ? buffers[0] : new DataView(buffers[0]);
    done(new Uint8Array(buffer, byteOffset, byteLength));
  };
  model.on("msg:custom", hear);
  model.send({ type: "data", key });
}

function load(model, name) {
  const key = model.get("data_keys")?.[name];
  if (!key) return Promise.reject(new Error(`This widget names no data “${name}”.`));
  const course = shared();
  if (!course.loads.has(key)) {
    const loading = new Promise((done, refuse) => {
      const fail = (why) => refuse(new Error(`The data “${name}” did not arrive. ${why}`));
      const published = course.root !== undefined;
      const clock = setTimeout(() => fail(published
        ? "The page's own files answer too slowly: reload the page."
        : "Python does not answer: run the cell again with a live kernel."), PATIENCE);
      (published ? (...ends) => fromPage(course, key, ...ends) : (...ends) => fromKernel(model, key, ...ends))(
        (data) => { clearTimeout(clock); done(data); },
        (why) => { clearTimeout(clock); fail(why); },
      );
    });
    course.loads.set(key, loading);
    loading.catch(() => course.loads.delete(key)); // the next widget, or the next run of the cell, may try again
  }
  return course.loads.get(key);
}

/** The blob `name` of this widget, parsed as JSON. Rejects with a sentence for the reader. Widgets with equal data share one load. */
export async function loadData(model, name) {
  const data = await load(model, name);
  return JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data));
}

/** The blob `name` as a Uint8Array; a page delivers such data as base64 text. */
export async function loadBytes(model, name) {
  const data = await load(model, name);
  return typeof data === "string" ? Uint8Array.from(atob(data), (c) => c.charCodeAt(0)) : data;
}
