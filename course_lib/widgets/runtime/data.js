// A widget's larger data, found by content key. The state holds the key only; the text comes
// - in a published page from the host script, `__course.load(key)`: it loads `_static/data/<key>.js` by script tag, which
//   unlike fetch also works in a page opened from a folder;
// - from Python, where a kernel is alive, by message.

const PATIENCE = 20_000;

function fromKernel(model, key) {
  return new Promise((done, refuse) => {
    const hear = (message, buffers) => {
      if (message?.type !== "data" || message.key !== key) return;
      model.off("msg:custom", hear);
      if (message.error) refuse(new Error(`Python answered: ${message.error}.`));
      else done(new TextDecoder().decode(buffers[0]));
    };
    model.on("msg:custom", hear);
    model.send({ type: "data", key });
  });
}

function inTime(promise, words) {
  return new Promise((done, refuse) => {
    const clock = setTimeout(() => refuse(new Error(words)), PATIENCE);
    promise.then(done, refuse).finally(() => clearTimeout(clock));
  });
}

const loads = new Map(); // key → promise of the text: widgets with equal data share one load

/** The blob `name` of this widget, parsed as JSON. Rejects with a sentence for the reader; the next call tries again. */
export async function loadData(model, name) {
  const key = model.get("data_keys")?.[name];
  if (!key) throw new Error(`This widget names no data “${name}”.`);
  if (!loads.has(key)) {
    const page = globalThis.__course?.load;
    const loading = page
      ? inTime(page(key), "The page's own files answer too slowly: reload the page.")
      : inTime(fromKernel(model, key), "Python does not answer: run the cell again with a live kernel.");
    loads.set(key, loading);
    loading.catch(() => loads.delete(key));
  }
  try {
    return JSON.parse(await loads.get(key));
  } catch (error) {
    throw new Error(`The data “${name}” did not arrive. ${error.message}`);
  }
}
