// The line under "Exercises": how many of this page's are solved, kept up to date. And small parts that the boxes share.
(() => {
  const course = globalThis.__course;
  const { records } = course;

  /** An element; a function as attribute `onclick` listens, everything else is an attribute. Texts are never read as HTML. */
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
  course.progressed = () => changes.forEach((listener) => listener());

  document.addEventListener("course:tried", ({ detail: { id, correct } }) => {
    if (!id.startsWith(records.AGAIN)) records.note(id, correct, Date.now());
    setTimeout(course.progressed); // the card may write its record after it tells
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest?.(".course-exercise")) setTimeout(course.progressed);
  }); // Start again
  records.watch(course.progressed);

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
