// Filters of the ledger: by document, chapter, state, mark or verdict, and words. The choice stands in the address (?ledger.source=L), so
// that it can be linked to. Rows are hidden for the screen only: print shows all, and without this script nothing is hidden.
(() => {
  const form = document.querySelector(".course-filters");
  if (!form) return;
  const keys = ["source", "chapter", "state", "mark", "text"];
  const boxes = [...document.querySelectorAll(".course-ledger")];
  // A row of the ledger is a line for each of its claims; only the first says whose they are.
  const rows = [];
  for (const line of document.querySelectorAll(".course-ledger tbody tr")) {
    if (line.id) rows.push({ lines: [], box: line.closest(".course-ledger") });
    rows.at(-1).lines.push(line);
  }
  for (const row of rows) row.words = row.lines.map((line) => line.textContent.toLowerCase());
  const said = form.querySelector("output");
  const sections = boxes.map((box) => [box, box.closest("section")]);
  const wanted = () => Object.fromEntries(keys.map((key) => [key, form.elements[key].value.trim()]));

  const apply = () => {
    const want = wanted();
    const find = want.text.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    const alive = new Set();
    for (const row of rows) {
      const has = (name) => row.lines[0].classList.contains(name);
      const fits =
        ["source", "chapter", "state"].every((key) => !want[key] || has(`course-${key}-${want[key].toLowerCase()}`)) &&
        (!want.mark || row.lines.some((line) => line.querySelector(`.course-${want.mark}`))) &&
        find.every((word) => row.words.some((words) => words.includes(word)));
      for (const line of row.lines) line.classList.toggle("course-filtered", !fits);
      const fold = row.lines.at(-1).querySelector("details");
      const found = fits && find.some((word) => row.words.at(-1).includes(word));
      if (fold && (found || fold.dataset.found)) {
        // what was found is seen, and folded again when it is no longer looked for
        fold.open = found;
        fold.dataset.found = found ? "yes" : "";
      }
      if (fits) {
        shown += 1;
        alive.add(row.box);
      }
    }
    const all = shown === rows.length;
    for (const [box, section] of sections) (section ?? box).classList.toggle("course-filtered", !alive.has(box));
    said.textContent = all ? `All ${rows.length} rows are shown.` : `${shown} of ${rows.length} rows are shown.`;
    document.documentElement.classList.toggle("course-ledger-chosen", !all);
  };

  const write = () => {
    const query = new URLSearchParams(location.search);
    for (const [key, value] of Object.entries(wanted()))
      value ? query.set(`ledger.${key}`, value) : query.delete(`ledger.${key}`);
    const search = query.toString();
    try {
      history.replaceState(history.state, "", `${location.pathname}${search && `?${search}`}${location.hash}`);
    } catch {
      // Some browsers forbid it in a page opened from a file: the filter works, only the link stays plain.
    }
  };

  const read = (search) => {
    const query = new URLSearchParams(search);
    for (const key of keys) {
      form.elements[key].value = query.get(`ledger.${key}`) ?? "";
      if (form.elements[key].selectedIndex === -1) form.elements[key].value = ""; // an address that names no choice
    }
  };

  let clock = 0;
  form.addEventListener("input", (event) => {
    apply();
    clearTimeout(clock);
    clock = setTimeout(write, event.target.name === "text" ? 300 : 0);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () =>
    setTimeout(() => {
      apply();
      write();
    }),
  );
  for (const link of document.querySelectorAll(".course-board a[href^='?ledger.']"))
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      read(link.getAttribute("href"));
      apply();
      write();
      form.scrollIntoView({ block: "start" });
      form.elements.source.focus({ preventScroll: true });
    });
  // Whoever follows a link to a row must find it, whatever is chosen.
  addEventListener("hashchange", () => {
    if (globalThis.__course.aim()?.closest(".course-filtered")) form.reset();
  });

  read(location.search);
  form.hidden = false;
  apply();
  globalThis.__course.aim()?.scrollIntoView();
})();
