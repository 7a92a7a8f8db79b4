// "Report an error": the link learns which section is being read, how the figures are set, and in which browser; its
// page puts the report together. Nothing is sent from here.
(() => {
  // The section at the top of the window: the last heading above its upper third.
  function section() {
    const headings = [...document.querySelectorAll("article section[id] > :is(h1, h2, h3, h4)")];
    const above = headings.filter((each) => each.getBoundingClientRect().top < innerHeight / 3 && each.offsetParent);
    return above.length ? above.at(-1).parentElement.id : "";
  }

  // What the figures of a page have been set to, as its address says it: "explorer.d=8, explorer.h=2".
  function settingsOf(search) {
    const all = [...new URLSearchParams(search)].filter(([name]) => name.includes("."));
    return all
      .map(([name, value]) => `${name}=${value}`)
      .join(", ")
      .slice(0, 1500);
  }

  function browser() {
    const { theme } = document.documentElement.dataset;
    return `${navigator.userAgent}, ${innerWidth} × ${innerHeight}, ${theme === "dark" ? "dark" : "light"}`;
  }

  function nameSection(event) {
    const link = event.target.closest("[data-course-report]");
    if (!link) return;
    const address = new URL(link.href);
    const page = (address.searchParams.get("page") || "").split("#")[0];
    const id = globalThis.__course.readable(location.hash.slice(1)) || link.dataset.read || "";
    address.searchParams.set("page", id ? `${page}#${id}` : page);
    const settings = settingsOf(location.search);
    if (settings) address.searchParams.set("settings", settings);
    address.searchParams.set("browser", browser());
    link.href = address.href;
  }

  // On the way to the foot of a page its last section scrolls past: what counts is where the reader last stood still
  // before that.
  function remember() {
    const link = document.querySelector("[data-course-report]");
    let waiting = 0;
    addEventListener(
      "scroll",
      () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => {
          const box = link.getBoundingClientRect();
          if (box.top > innerHeight || !link.dataset.read) link.dataset.read = section();
        }, 300);
      },
      { passive: true },
    );
  }

  function fillForm(form) {
    const given = new URLSearchParams(location.search);
    const field = (name) => form.elements.namedItem(name);
    const place = given.get("page") || "";
    if (place) field("page").value = given.get("title") ? `${given.get("title")} (${place})` : place;
    const status = form.querySelector("[role=status]");
    const write = () => {
      field("report").value = [
        `Error in “Attention, by hand”${given.get("version") ? `, version ${given.get("version")}` : ""}`,
        `Page: ${field("page").value}`,
        `Settings of the figures: ${given.get("settings") || "as the page has them"}`,
        `What stands there:\n${field("printed").value}`,
        `What it should be, or what you got:\n${field("got").value}`,
        `Browser: ${given.get("browser") || browser()}`,
      ].join("\n\n");
      status.textContent = "";
    };
    const copied = async () => {
      try {
        await navigator.clipboard.writeText(field("report").value);
        return true;
      } catch {
        // no permission, or an old browser: copy what is selected
        field("report").select();
        return document.execCommand("copy");
      }
    };
    form.addEventListener("input", (event) => {
      if (event.target.name !== "report") write();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.querySelector("button").addEventListener("click", async () => {
      status.textContent = (await copied()) ? "Copied." : "Not copied: the text is selected, copy it with Ctrl+C.";
    });
    write();
  }

  if (document.querySelector("[data-course-report]")) {
    document.addEventListener("click", nameSection, true);
    document.addEventListener("auxclick", nameSection, true);
    remember();
  }
  const form = document.querySelector("form.course-report");
  if (form) fillForm(form);
})();
