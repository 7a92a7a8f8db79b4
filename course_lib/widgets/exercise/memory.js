/** What the reader did with one card, kept by the browser where it allows that: a file or a private window may not. */
export function memory(key) {
  const tried = (action) => {
    try {
      return action();
    } catch {
      return null; // then it lasts as long as the page
    }
  };
  return {
    read() {
      const kept = tried(() => JSON.parse(localStorage.getItem(key)));
      return kept && typeof kept === "object" ? kept : {};
    },
    write: (kept) => tried(() => (kept ? localStorage.setItem(key, JSON.stringify(kept)) : localStorage.removeItem(key))),
  };
}
