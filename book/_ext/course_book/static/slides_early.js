// Runs in a deck's head, before anything is drawn: the book's light or dark, and whether this is a handout.
{
  const root = document.documentElement;
  let chosen = null;
  try {
    chosen = localStorage.getItem("theme");
  } catch {
    // it keeps nothing here: the system decides
  }
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "dark" : "light";
  if (new URLSearchParams(location.search).has("handout")) {
    root.dataset.theme = "light"; // for paper
    // host.js and figures.js draw what comes near: in a handout all does at once
    globalThis.IntersectionObserver = class {
      constructor(told) {
        this.told = told;
      }
      observe(target) {
        queueMicrotask(() => this.told([{ isIntersecting: true, target }], this));
      }
      unobserve() {}
      disconnect() {}
    };
  } else root.classList.add("course-deck");
}
