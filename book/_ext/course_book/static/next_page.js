// What is next: a conclusion from the reader's records. Pure.
(() => {
  /**
   * Which page to open: {unfinished, next}, places in `pages` or −1. `pages` is the book in order, each {tried, solved,
   * total, at}: how many exercises were tried (the solved ones too), and when the last time was, null if never.
   *   unfinished  the page that was worked on last, while an exercise of it is not solved
   *   next        the first untouched page behind it; with none behind it, the first untouched one
   */
  function onwards(pages) {
    const last = pages.reduce((best, { at }, i) => (at !== null && (best < 0 || at >= pages[best].at) ? i : best), -1);
    const open = [...pages.keys()].filter((i) => !pages[i].tried);
    const unfinished = last >= 0 && pages[last].solved < pages[last].total ? last : -1;
    return { unfinished, next: open.find((i) => i > last) ?? open[0] ?? -1 };
  }

  globalThis.__course.nextPage = { onwards };
})();
