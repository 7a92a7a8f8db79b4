// The answers that stand first: what is named as the reader wrote it (search_entries.py), before the pages in which the
// words occur. On the search page, and on the missing page, which asks with the words of the address. From a folder
// too: the names come by script tag.
(() => {
  const MOST = 8;
  const SMALL = new Set(
    "a an and are as at by does for how in is it of on or the to what where which why with".split(" "),
  );
  const WEIGHT = { symbol: 8, "live figure": 7, page: 6, lab: 6, term: 4, section: 3, fold: 0, reference: -30 };
  const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const cut = (text) => folded(text).match(/√?[\p{L}\p{N}_]+(?:\.\d+)*|\p{S}/gu) ?? [];
  /** Of a text's words that carry something; all, if none does. */
  const telling = (text) => {
    const all = cut(text);
    const kept = all.filter((word) => !SMALL.has(word));
    return kept.length ? kept : all;
  };
  const holds = (words, asked) =>
    asked.every((one) => words.some((word) => word === one || (one.length > 3 && word.startsWith(one))));

  /** How well an entry answers: as it is written, by all its words, or by its text; 0 where not at all. */
  function score([kind, names, title, , text, page], query, asked) {
    let best = 0;
    for (const name of names) {
      const words = telling(name);
      if (name === query) best = Math.max(best, 120);
      else if (folded(name) === folded(query)) best = Math.max(best, 110);
      else if (holds(words, asked))
        best = Math.max(best, 50 + (40 * asked.length) / Math.max(words.length, asked.length));
    }
    if (!best && holds(telling(`${names.join(" ")} ${title} ${page}`), asked)) best = 40;
    if (!best && asked.some((one) => one.length > 2) && holds(cut(`${title} ${text}`), asked)) best = 20;
    const own = telling(page); // of two figures of a name the one whose page is about it
    return best && best + (WEIGHT[kind] ?? 5) + (4 * asked.filter((one) => own.includes(one)).length) / asked.length;
  }

  function find(entries, query) {
    const asked = telling(query);
    if (!asked.length) return [];
    const found = entries.map((entry) => [score(entry, query.trim(), asked), entry]).filter(([points]) => points > 0);
    return found.sort(([a], [b]) => b - a).map(([, entry]) => entry);
  }
  globalThis.__course.find = find;

  const make = (name, more = {}, ...children) => {
    const node = Object.assign(document.createElement(name), more);
    node.append(...children);
    return node;
  };

  async function show(query, place) {
    const entries = JSON.parse(await globalThis.__course.load("finds"));
    const root = document.documentElement.dataset.content_root;
    const found = find(entries, query);
    const rows = found.slice(0, MOST).map(([kind, , title, address, text, page]) => {
      const kinds = [kind === "fold" ? "in a fold" : kind, page].filter(Boolean).join(" · ");
      const row = make(
        "li",
        {},
        make("a", { href: root + address }, title),
        " ",
        make("span", { className: "course-find-kind" }, kinds),
      );
      if (text && !/[_^=]/.test(text.slice(0, 180)))
        row.append(make("p", {}, text.length > 180 ? `${text.slice(0, 180).replace(/\s\S*$/, "")} …` : text));
      return row;
    });
    const words = rows.length ? [make("h2", {}, "Best answers"), make("ol", {}, ...rows)] : [];
    place.replaceChildren(...words);
  }

  // Sphinx's own list stumbles over a place without a text and, before version 8.2, over what every object has:
  // "constructor"
  if (typeof Search !== "undefined") {
    const { makeSearchSummary, setIndex } = Search;
    Search.makeSearchSummary = (...given) => makeSearchSummary(...given) ?? document.createElement("p");
    const bare = { __proto__: null, hasOwnProperty: Object.prototype.hasOwnProperty }; // all that it asks of one
    Search.setIndex = (index) => {
      for (const words of [index.terms, index.titleterms]) Object.setPrototypeOf(words, bare);
      setIndex(index);
    };
  }

  const results = document.getElementById("search-results");
  const lost = document.querySelector(".course-lost");
  const words = (path) => {
    const name = path
      .replace(/\.\w+$/, "")
      .split("/")
      .at(-1);
    return name
      .split(/[\d_-]+/)
      .filter((word) => word.length > 2)
      .join(" ");
  };
  const asked =
    new URLSearchParams(location.search).get("q") ||
    (lost ? words(globalThis.__course.readable(location.pathname)) : "");
  if (lost) lost.querySelector("input[type=search]").value = asked;
  if (asked && (results || lost)) {
    const place = make("section", { className: "course-finds", ariaLabel: "Best answers" });
    (results ?? lost).before(place);
    if (lost) lost.after(place);
    show(asked, place).catch((error) => console.error(error));
  }
})();
