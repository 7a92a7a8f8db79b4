// A widget's larger data, found by content key. The state holds the key; the text comes
// - in a published page from the host script, `__course.load(key)`: it loads `_static/data/<key>.js` by script tag,
// which
//   unlike fetch also works in a page opened from a folder;
// - where a kernel is alive, with the state itself: no message has to be waited for.

const PATIENCE = 20_000;
const ASLEEP = "It lives while Python runs: run this cell.";

function inTime(promise, words) {
  return new Promise((done, refuse) => {
    const clock = setTimeout(() => refuse(new Error(words)), PATIENCE);
    promise.then(done, refuse).finally(() => clearTimeout(clock));
  });
}

const loads = new Map(); // key → promise of the text: widgets with equal data share one load

function load(key, page) {
  if (!loads.has(key)) {
    const loading = inTime(page(key), "The page's own files answer too slowly: reload the page.");
    loads.set(key, loading);
    loading.catch(() => loads.delete(key));
  }
  return loads.get(key);
}

/**
 * The blob `name` of this widget, parsed as JSON. Rejects with a sentence for the reader; the next call tries again.
 */
export async function loadData(model, name) {
  const key = model.get("data_keys")?.[name];
  if (!key) throw new Error(`This widget names no data “${name}”.`);
  const page = globalThis.__course?.load;
  const bytes = model.get("data")?.[key];
  if (!page && !bytes) throw new Error(ASLEEP); // a notebook with stored state, opened again
  try {
    return JSON.parse(bytes ? new TextDecoder().decode(bytes) : await load(key, page));
  } catch (error) {
    throw new Error(`The data “${name}” did not arrive. ${error.message}`);
  }
}
