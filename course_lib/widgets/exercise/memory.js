// What the reader has done, as the browser keeps it: nothing else of the course asks localStorage for it. A page has
// one of these, for the cards bring it and so does the book's script (course_book/assets): a classic script, no module.
//
// Nothing is written from memory: a change is a function of what is kept at its moment, for another tab may have
// written since. (A lock would not help: another process of the browser sees a write only some milliseconds after the
// lock on it is free.) What the browser refuses lasts as long as the page: its changes are made again to whatever is
// kept then, and tried again with the next. A record whose key does not begin with "course." is this page's alone.
globalThis.__courseMemory ??= (() => {
  const refused = new Map(); // key → changes
  const listeners = new Set();
  let changed = null; // keys, until the listeners are told; null is all

  const tried = (action, otherwise) => {
    try {
      return action();
    } catch {
      return otherwise; // storage is forbidden or full, or holds no record of ours
    }
  };
  const after = (key, changes) =>
    changes.reduce(
      (record, change) => change(record),
      tried(() => JSON.parse(localStorage.getItem(key)), null),
    );
  const read = (key) => after(key, refused.get(key) ?? []);
  function tell(key) {
    if (!changed)
      queueMicrotask(() => {
        const keys = changed;
        changed = null;
        for (const listener of listeners) listener(keys);
      });
    changed = (changed ?? new Set()).add(key);
  }

  globalThis.addEventListener?.("storage", ({ key }) => (key === null || key.startsWith("course.")) && tell(key));
  // it has heard nothing meanwhile
  globalThis.addEventListener?.("pageshow", ({ persisted }) => persisted && tell(null));

  return {
    /** May the browser keep anything at all? */
    allowed: () => tried(() => localStorage.getItem("") !== undefined, false),
    /** A record, or null. */
    read,
    /**
     * Changes a record, or null, into another, or null: {record, kept}, where `kept` says whether the browser took it.
     */
    update(key, change) {
      const changes = [...(refused.get(key) ?? []), change];
      const record = after(key, changes);
      const passing = !key.startsWith("course."); // not for the browser
      const taken = tried(() => {
        if (passing) return false;
        if (record === null) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(record));
        return true;
      }, false);
      if (taken) refused.delete(key);
      else refused.set(key, changes);
      tell(key);
      return { record, kept: taken || passing };
    },
    keys: () =>
      [...new Set([...tried(() => Object.keys(localStorage), []), ...refused.keys()])].filter(
        (key) => key.startsWith("course.") && read(key) !== null,
      ),
    /**
     * Calls `heard` after a change of `mine`, or of any record, here or in another tab. Gives a function that ends it.
     */
    watch(heard, mine = null) {
      const listener = (keys) => (mine === null || keys.has(mine) || keys.has(null)) && heard();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
})();
