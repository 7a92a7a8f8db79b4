// Steps through a diagram: what comes later is pale, the step's sentence is marked and spoken. Step 0 is all of it.
// Where the figure has sizes, its shapes can be read in numbers: the shipped model's first, then the reader's.
(() => {
  const make = (name, more, ...children) => {
    const node = Object.assign(document.createElement(name), more);
    node.append(...children);
    return node;
  };
  /** A row of dials that write shapes, [n, d], in numbers. */
  function inNumbers(figure) {
    const given = Object.entries(JSON.parse(figure.dataset.sizes));
    const shapes = [...figure.querySelectorAll(".course-dg-shape, li code")].map((node) => [node, node.textContent]);
    const number = ([letter, value]) =>
      make("input", { type: "number", min: 1, max: 9999, step: 1, value, ariaLabel: `size ${letter}`, name: letter });
    const fields = given.map(number);
    const numbers = make("input", { type: "checkbox" });
    const write = () => {
      const size = Object.fromEntries(
        fields.map(({ name, value, validity }) => [name, validity.valid && value ? value : name]),
      );
      for (const [node, letters] of shapes)
        node.textContent = numbers.checked ? letters.replace(/[a-z]/g, (each) => size[each] ?? each) : letters;
    };
    const change = () => {
      numbers.checked = true;
      write();
    };
    for (const field of fields) field.oninput = change;
    numbers.onchange = write;
    const labelled = fields.map((field) => make("label", {}, `${field.name} `, field));
    return make(
      "div",
      { className: "course-dg-sizes", role: "group", ariaLabel: "Shapes" },
      make("label", {}, numbers, " shapes in numbers"),
      ...labelled,
    );
  }

  for (const figure of document.querySelectorAll(".course-diagram")) {
    if (figure.dataset.sizes) figure.querySelector("figcaption").before(inNumbers(figure));
    const said = [...figure.querySelectorAll("ol > li")];
    if (said.length < 2) continue;
    const drawn = [...figure.querySelectorAll("[data-step]")];
    let at = 0;
    const button = (text, ariaLabel, to) =>
      make("button", { type: "button", ariaLabel, onclick: () => show(to()) }, text);
    const back = button("‹", "Step back", () => at - 1);
    const next = button("›", "Next step", () => at + 1);
    const all = button("All", "All steps", () => 0);
    const count = make("span", {});
    const spoken = make("span", { role: "status", className: "visually-hidden" });

    function show(step) {
      at = step;
      if (at) figure.dataset.at = at;
      else delete figure.dataset.at;
      for (const part of drawn) {
        part.classList.toggle("course-dg-later", at > 0 && part.dataset.step > at);
        part.classList.toggle("course-dg-now", Number(part.dataset.step) === at);
      }
      said.forEach((line, i) => {
        if (i + 1 === at) line.setAttribute("aria-current", "step");
        else line.removeAttribute("aria-current");
      });
      [back.disabled, next.disabled, all.disabled] = [at === 0, at === said.length, at === 0];
      count.textContent = at ? `step ${at} of ${said.length}` : `${said.length} steps`;
      spoken.textContent = at ? said[at - 1].textContent : "";
    }
    const nav = make(
      "div",
      { className: "course-dg-nav", role: "group", ariaLabel: "Steps of the diagram" },
      back,
      next,
      all,
      count,
      spoken,
    );
    figure.querySelector("figcaption").before(nav);
    show(0);
    // a button that has just become useless would lose the keyboard's place
    nav.addEventListener("click", ({ target }) => target.disabled && (at ? back : next).focus());
  }
})();
