// Draws the page's plotly figures with one shared plotly.js, fetched only when a figure comes near the screen.
(() => {
  const vendor = new URL("../vendor/plotly/plotly-cartesian.min.js", document.currentScript.src).href;

  let library;
  const plotly = () => library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = vendor;
    script.onload = () => resolve(globalThis.Plotly);
    script.onerror = () => reject(Error("plotly.js could not be loaded"));
    document.head.append(script);
  });

  // course_lib.plots leaves backgrounds transparent; text and lines take the page's colours.
  const skin = (layout) => {
    const page = getComputedStyle(document.documentElement);
    const ink = page.getPropertyValue("--pst-color-text-base").trim() || "#222";
    const rule = page.getPropertyValue("--pst-color-border").trim() || "#ccc";
    const changes = { "font.color": ink };
    for (const axis of Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key))) {
      changes[`${axis}.gridcolor`] = rule;
      changes[`${axis}.linecolor`] = rule;
      changes[`${axis}.zerolinecolor`] = rule;
    }
    for (const slider of (layout.sliders ?? []).keys()) {
      changes[`sliders[${slider}].bgcolor`] = rule;
      changes[`sliders[${slider}].font.color`] = ink;
    }
    return changes;
  };

  const draw = async (box) => {
    const figure = JSON.parse(box.querySelector("script").textContent);
    const Plotly = await plotly();
    const el = document.createElement("div");
    el.setAttribute("role", "img");
    el.setAttribute("aria-label", figure.layout?.meta?.description ?? "Figure");
    box.append(el);
    const layout = { ...figure.layout, autosize: true };
    delete layout.width;                                  // a fixed width overflows on a phone
    const config = { responsive: true, displayModeBar: false };
    await Plotly.newPlot(el, { data: figure.data, layout, frames: figure.frames ?? [], config });
    // a map's numbers, of about 26 pixels, would run together in narrower cells: then its colours must do
    const numbers = figure.data.flatMap((trace, i) => trace.type === "scatter" && trace.mode === "text" ? [i] : []);
    const fit = () => numbers.forEach((i) => {
      const axis = el._fullLayout[(figure.data[i].xaxis ?? "x").replace("x", "xaxis")];
      const wanted = axis._length / Math.abs(axis.range[1] - axis.range[0]) >= 26;
      if ((el.data[i].visible ?? true) !== wanted) Plotly.restyle(el, { visible: wanted }, [i]);
    });
    fit();
    el.on("plotly_afterplot", fit);                       // a phone was turned
    const recolour = () => Plotly.relayout(el, skin(el.layout));
    await recolour();
    new MutationObserver(recolour).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    box.dataset.ready = "1";
  };

  const start = () => {
    const near = new IntersectionObserver((entries) => {
      for (const entry of entries.filter((each) => each.isIntersecting)) {
        near.unobserve(entry.target);
        draw(entry.target).catch((error) => { console.error(error); entry.target.textContent = error.message; });
      }
    }, { rootMargin: "300px" });
    document.querySelectorAll(".course-plotly").forEach((box) => near.observe(box));
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start); else start();
})();
