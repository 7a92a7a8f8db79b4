// A widget's settings in the page's address, so that a reader can link to what is on the screen:
//   page.html?hand.row=3&hand.temperature=0.5#scale
// The query string and not the hash: anchors keep working. Only settings that differ from the page's own are written.
// Outside a published page (no __course.root) nothing is read or written: in a notebook the address belongs to the
// editor.

const PAUSE = 250; // browsers refuse more than about a hundred replaceState calls in half a minute
const names = () => {
  const course = globalThis.__course;
  course.names ??= new WeakMap(); // model → name, one table for all bundles of the page
  course.counts ??= new Map();
  return course;
};

const readable = (text) => encodeURIComponent(text).replaceAll("%2C", ",");

/** Rounds to two decimals and drops trailing zeros: 1.50 → "1.5", -0.001 → "0". */
export const short = (number, digits = 2) => String(Number(number.toFixed(digits)) + 0);

/**
 * The address of one widget.
 * read() → {key: text} of this widget's settings in the address, {} where there are none;
 * write({key: text or null}) puts them there soon, null takes a key out.
 */
export function pageAddress(model) {
  const base = model.get("address");
  if (globalThis.__course?.root === undefined || !base) return { read: () => ({}), write() {}, listen: () => () => {} };
  const course = names();
  if (!course.names.has(model)) {
    const count = (course.counts.get(base) ?? 0) + 1;
    course.counts.set(base, count);
    course.names.set(model, count === 1 ? base : `${base}-${count}`);
  }
  const prefix = `${course.names.get(model)}.`;
  let wanted = {};
  let clock = null;

  const flush = () => {
    clock = null;
    const query = new URLSearchParams(location.search);
    for (const [key, text] of Object.entries(wanted))
      text === null ? query.delete(prefix + key) : query.set(prefix + key, text);
    wanted = {};
    const search = [...query].map(([key, text]) => `${readable(key)}=${readable(text)}`).join("&");
    const url = `${location.pathname}${search && `?${search}`}${location.hash}`;
    if (url === location.pathname + location.search + location.hash) return;
    try {
      history.replaceState(history.state, "", url);
    } catch {
      // Some browsers forbid it in a page opened from a file: the widget works, only the link stays plain.
    }
  };
  const read = (search = location.search) =>
    Object.fromEntries(
      [...new URLSearchParams(search)]
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, text]) => [key.slice(prefix.length), text]),
    );
  return {
    read,
    /** act({key: text}) where a button of the page sets this widget (host.js). Returns a function that ends it. */
    listen(act) {
      const heard = ({ detail }) => {
        const given = read(detail);
        if (Object.keys(given).length) act(given);
      };
      addEventListener("course:dials", heard);
      return () => removeEventListener("course:dials", heard);
    },
    write(settings) {
      Object.assign(wanted, settings);
      if (clock === null) clock = setTimeout(flush, PAUSE);
    },
  };
}
