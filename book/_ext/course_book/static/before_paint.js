// Runs in a page's head, before its first paint. What would be covered later is unseen from the first moment, and the
// letters of the text are asked for before the style sheets that name them: nothing moves when they come. From a folder
// a browser refuses to fetch letters ahead.
{
  const root = document.documentElement;
  const link = (more, file) =>
    document.head.append(
      Object.assign(document.createElement("link"), more, { href: `${root.dataset.content_root}_static/${file}` }),
    );
  root.classList.add("course-early");
  // the theme's script would decide it later, and have the whole page laid out anew
  const mode = root.dataset.mode;
  root.dataset.theme = ["light", "dark"].includes(mode)
    ? mode
    : matchMedia("(prefers-color-scheme: dark)").matches
      ? "dark"
      : "light";
  if (location.protocol === "file:")
    addEventListener("DOMContentLoaded", () => link({ rel: "stylesheet" }, "course/letters_folder.css"));
  else link({ rel: "preload", as: "font", type: "font/woff2", crossOrigin: "" }, "vendor/stix/ascii-400-normal.woff2");
}
