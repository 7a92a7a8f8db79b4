// The line under "Exercises": how many of this page's are solved, kept up to date. And small parts that the boxes
// share.
(() => {
  const course = globalThis.__course;
  const { records } = course;

  /**
   * An element; a function as attribute `onclick` listens, everything else is an attribute. Texts are never read as
   * HTML.
   */
  course.h = (tag, attributes = {}, ...children) => {
    const el = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
      else if (value === true) el.setAttribute(name, "");
      else if (value !== false) el.setAttribute(name, value);
    }
    el.append(...children);
    return el;
  };
  course.clock = () => ({ now: Date.now(), offset: new Date().getTimezoneOffset() });
  course.plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
  course.home = new URL("../", course.root).href; // where the pages lie

  /** How far somebody is with these exercises: {solved, tried, total}; `tried` counts those that are not solved. */
  course.tally = (ids) => {
    const found = ids.map(records.exercise);
    const solved = found.filter((each) => each?.solved).length;
    return { solved, tried: found.filter((each) => each?.tried && !each.solved).length, total: ids.length };
  };

  const changes = new Set();
  course.onProgress = (listener) => changes.add(listener);

  /** Saves the reader's work as a file, of what is `known`. */
  course.save = (known) => {
    const { now } = course.clock();
    const url = URL.createObjectURL(new Blob([records.file(now, known)], { type: "application/json" }));
    const name = `attention-by-hand-progress-${new Date(now).toISOString().slice(0, 10)}.json`;
    const link = course.h("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };

  records.watch(() => changes.forEach((listener) => listener()));

  const start = () => {
    for (const line of document.querySelectorAll(".course-tally")) {
      const words = line.firstElementChild;
      const ids = line.dataset.ids.split(" ");
      const refresh = () => {
        const { solved, total } = course.tally(ids);
        const text = `${solved} of ${total} solved on this page`;
        if (words.textContent !== text) words.textContent = text;
      };
      course.onProgress(refresh);
      refresh();
    }
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
