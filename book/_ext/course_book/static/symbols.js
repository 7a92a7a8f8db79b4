// A symbol in the text says what it means, where a mouse rests on it or a finger taps it. The words come from the
// page's own box
// "Symbols on this page", which is what the keyboard and a screen reader use: hundreds of tab stops would help nobody.
// WCAG 1.4.13: Escape takes the note away, the pointer may rest on it, and it stays until the pointer leaves.
(() => {
  const box = document.querySelector(".course-symbols-here");
  if (!box) return;
  const tip = document.createElement("div");
  tip.className = "course-symbol-tip";
  tip.hidden = true;
  document.body.append(tip);
  let shown = null;
  let clock = 0;

  const hide = () => {
    clearTimeout(clock);
    shown = null;
    tip.hidden = true;
  };
  const later = () => {
    clearTimeout(clock);
    clock = setTimeout(hide, 250);
  }; // time to move from the symbol into the note

  const show = (symbol) => {
    clearTimeout(clock);
    if (shown === symbol) return;
    const name = [...symbol.classList].find((each) => each.startsWith("course-is-"));
    const term = document.getElementById(`here-${name.slice(10)}`);
    const meaning = term?.nextElementSibling?.querySelector("p");
    if (!meaning) return;
    tip.replaceChildren(...[...meaning.childNodes].map((node) => node.cloneNode(true)));
    shown = symbol;
    tip.hidden = false;
    const place = symbol.getBoundingClientRect();
    const width = document.documentElement.clientWidth;
    const left = Math.max(8, Math.min(place.left, width - tip.offsetWidth - 8));
    const below = place.bottom + 4;
    const fits = below + tip.offsetHeight < innerHeight;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${(fits ? below : place.top - tip.offsetHeight - 4) + scrollY}px`;
  };

  const symbolAt = (event) => event.target.closest?.(".course-symbol");
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return; // a tap is a click, below
    const symbol = symbolAt(event);
    if (symbol) show(symbol);
    else if (tip.contains(event.target)) clearTimeout(clock);
    else if (shown) later();
  });
  document.addEventListener("click", (event) => {
    const symbol = symbolAt(event);
    if (symbol && !symbol.closest("a")) show(symbol);
    else if (!tip.contains(event.target)) hide();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
})();
