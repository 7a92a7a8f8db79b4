// Runs in a page's head, before its first paint. What would be covered later is unseen from the first moment, and the letters of the text are asked
// for before the style sheets that name them: nothing moves when they come. (From a folder a browser refuses to fetch letters ahead.)
document.documentElement.classList.add("course-early");
if (location.protocol.startsWith("http"))
  for (const name of ["stix/ascii-400-normal", "katex/fonts/KaTeX_Main-Regular", "katex/fonts/KaTeX_Math-Italic"]) {
    const href = `${document.documentElement.dataset.content_root}_static/vendor/${name}.woff2`;
    document.head.append(
      Object.assign(document.createElement("link"), { rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href }),
    );
  }
