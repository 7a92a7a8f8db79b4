// What a class predicted, from the codes of its cards: how often each idea, the numbers, the curves. Nothing is sent or kept.
(() => {
  const { h, plural } = globalThis.__course;
  const LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";
  const CODE = /^([0-9a-z]{4})-([0-9a-z.+]+)(?:-([5-9][0-9]))?$/;
  const shown = (x) => String(Number(x.toPrecision(4))).replace("-", "−");

  /** What a code says of its prediction: a text to be counted, a number or a list of heights; null where it says nothing. */
  function said({ kind, texts, x, low, high }, letters) {
    const places = [...letters].map((letter) => LETTERS.indexOf(letter));
    if (kind === "choose") return places.length === 1 ? (texts[places[0]] ?? null) : null;
    if (kind === "order") {
      const whole = [...places].sort((a, b) => a - b).every((place, i) => place === i) && places.length === texts.length;
      return whole ? places.map((place) => texts[place]).join(" > ") : null;
    }
    if (kind === "curve")
      return places.length === x.length && !places.includes(-1) ? places.map((place) => low + ((high - low) * place) / 35) : null;
    const value = Number(letters.replaceAll("m", "-"));
    return Number.isFinite(value) ? value : null;
  }

  /** Codes, parted by anything that no code holds → {groups: prediction's code → [[said, sure]], unread: [code]}. */
  function read(text, asked) {
    const groups = new Map();
    const unread = [];
    for (const each of text
      .toLowerCase()
      .split(/[\s,;]+/)
      .filter(Boolean)
      .slice(0, 5000)) {
      const [, name, letters, sure] = CODE.exec(each) ?? [];
      const answer = name && Object.hasOwn(asked, name) ? said(asked[name], letters) : null;
      if (answer === null) unread.push(each.slice(0, 40));
      else groups.set(name, [...(groups.get(name) ?? []), [answer, sure ? Number(sure) : null]]);
    }
    return { groups, unread };
  }

  const middle = (sorted) => (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
  /** [head, row, …] of the table for one prediction. */
  function rows({ kind, texts, unit, x }, answers) {
    const all = answers.map(([answer]) => answer);
    if (kind === "choose" || kind === "order") {
      const names = kind === "choose" ? texts : [...new Set(all)];
      const times = (name) => all.filter((each) => each === name).length;
      const most = [...names].sort((a, b) => times(b) - times(a));
      return [["Predicted", "Times"], ...most.map((name) => [name, String(times(name))])];
    }
    const three = (values) => {
      const sorted = [...values].sort((a, b) => a - b);
      return [sorted[0], middle(sorted), sorted.at(-1)].map(shown);
    };
    if (kind === "curve")
      return [
        ["At", "Lowest", "Middle", "Highest"],
        ...x.map((place, i) => [shown(place), ...three(all.map((each) => each[i]))]),
      ];
    return [
      ["", "Lowest", "Middle", "Highest"],
      [unit || "Number", ...three(all)],
    ];
  }

  function table(prediction, answers) {
    const [head, ...body] = rows(prediction, answers);
    const sure = answers.map(([, each]) => each).filter((each) => each);
    const note = sure.length ? ` Sure, on average: ${Math.round(sure.reduce((sum, each) => sum + each) / sure.length)} %.` : "";
    const caption = h("caption", {}, `${prediction.page}: ${prediction.question} (${plural(answers.length, "answer")}.${note})`);
    const line = ([first, ...others]) =>
      h("tr", {}, h("th", { scope: "row" }, first), ...others.map((text) => h("td", {}, text)));
    return h(
      "table",
      { class: "table" },
      caption,
      h("thead", {}, h("tr", {}, ...head.map((text) => h(text ? "th" : "td", text ? { scope: "col" } : {}, text)))),
      h("tbody", {}, ...body.map(line)),
    );
  }

  function start(root) {
    const asked = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const told = h("div", { role: "status" });
    const show = () => {
      const { groups, unread } = read(field.value, asked);
      const lost = unread.length ? `${plural(unread.length, "code")} could not be read: ${unread.slice(0, 5).join(", ")}.` : "";
      told.replaceChildren(
        ...[...groups].map(([name, answers]) => table(asked[name], answers)),
        ...(lost ? [h("p", {}, lost)] : []),
      );
    };
    const field = h("textarea", { rows: "4", oninput: show, spellcheck: "false" });
    root.append(h("label", {}, "Codes, in any order: ", field), told);
    root.dataset.ready = "1";
  }
  document.querySelectorAll(".course-classroom").forEach(start);
})();
