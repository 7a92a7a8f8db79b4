// A deck: reveal.js over the sections, unless a handout was asked for. Slides are as large as the window and are never scaled, so that live
// figures lay themselves out for it; keys that a live figure uses stay with it.
(() => {
  const { Reveal, RevealNotes } = globalThis;
  if (!document.documentElement.classList.contains("course-deck")) return;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  Reveal.initialize({
    width: "100%",
    height: "100%",
    margin: 0,
    minScale: 1,
    maxScale: 1,
    center: false,
    hash: true,
    slideNumber: "c/t",
    navigationMode: "linear", // one key goes through all slides
    transition: still ? "none" : "slide",
    backgroundTransition: "none",
    scrollActivationWidth: 0, // a phone gets slides too
    viewDistance: 2,
    mobileViewDistance: 2,
    keyboardCondition: (event) => !event?.target?.closest?.(".course-widget, .course-diagram, .js-plotly-plot"),
    plugins: [RevealNotes],
  });
  Reveal.on("slidechanged", ({ currentSlide }) => {
    dispatchEvent(new Event("resize")); // a figure that was drawn unseen takes the slide's width
    currentSlide.scrollTop = 0;
  });
})();
