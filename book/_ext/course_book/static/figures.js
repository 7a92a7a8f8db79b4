// Draws the page's plotly figures with one shared plotly.js, fetched only when a figure comes near the screen.
(() => {
  let library;
  const plotly = () =>
    (library ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${globalThis.__course.root}vendor/plotly/plotly-cartesian.min.js`;
      script.onload = () => resolve(globalThis.Plotly);
      script.onerror = () => reject(Error("plotly.js could not be loaded"));
      document.head.append(script);
    }));

  // A map's colours on a dark page, as the widgets have them: course_lib/palette.py, and drawing/colours.js.
  const DARK = { "#ffffff": [30, 35, 42], "#005493": [122, 196, 245], "#b34700": [255, 168, 104] };
  const rgb = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  const mixed = (from, to, share) => from.map((a, i) => a + share * (to[i] - a));
  // a colour of the light scale lies between white and a full one: its twin as far between theirs
  const twin = (colour) => {
    const [red, , blue] = rgb(colour);
    const full = blue > red ? "#005493" : "#b34700";
    const share = blue > red ? 1 - red / 255 : 1 - blue / 255; // the channel that the full colour has nothing of
    return mixed(DARK["#ffffff"], DARK[full], share);
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const shade = (scale, part) => {
    const after = Math.max(
      1,
      scale.findIndex(([place]) => place >= part),
    );
    const [[start, from], [end, to]] = [scale[after - 1], scale[after]];
    return mixed(from, to, (part - start) / (end - start));
  };
  const toned = (Plotly, el, figure) => {
    const { coloraxis } = figure.layout;
    if (!coloraxis?.colorscale) return;
    const dark = document.documentElement.dataset.theme === "dark";
    const scale = coloraxis.colorscale.map(([place, colour]) => [place, dark ? twin(colour) : rgb(colour)]);
    Plotly.relayout(el, { "coloraxis.colorscale": scale.map(([place, colour]) => [place, `rgb(${colour})`]) });
    figure.data.forEach((trace, i) => {
      if (trace.mode !== "text") return;
      const parts = trace.text.map((text) => (Number(text) - coloraxis.cmin) / (coloraxis.cmax - coloraxis.cmin));
      const inks = parts.map((part) => (luminance(shade(scale, part)) > 0.179 ? "#000" : "#fff"));
      Plotly.restyle(el, { "textfont.color": [inks] }, [i]);
    });
  };

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

  // On a log axis of about two decades plotly labels every digit, 7, 8, 9 and 10 one over the other: 2 and 5 are
  // enough.
  const sparse = (full) =>
    Object.fromEntries(
      Object.keys(full)
        .filter(
          (key) =>
            /^[xy]axis\d*$/.test(key) && full[key].dtick === "D1" && full[key].range[1] - full[key].range[0] > 0.8,
        )
        .map((key) => [`${key}.dtick`, "D2"]),
    );

  // The layout for this width, in place; true where the frame may have become smaller than its picture.
  const fitted = (layout, width) => {
    // where labels must turn they go down to the left: turned the other way, the last one leaves the picture and plotly
    // drops it
    for (const axis of Object.keys(layout).filter((key) => /^xaxis\d*$/.test(key)))
      layout[axis] = { autotickangles: [0, -30, -90], ...layout[axis] };
    if (width >= 600 || !layout.yaxis?.scaleanchor) return false;
    // with equal scales plotly shows more of the taller side, and a phone's picture shrinks to a stamp: make the frame
    // smaller instead
    for (const axis of ["xaxis", "yaxis"])
      layout[axis] = { ...layout[axis], constrain: "domain", constraintoward: axis === "yaxis" ? "top" : "center" };
    layout.height = Math.min(layout.height ?? Infinity, width + 60);
    return true;
  };

  // The height a picture takes: no more than down to its lowest words where its frame is smaller; a legend of many
  // lines takes nothing from the curves. (The margins do not tell: plotly puts an axis's words into the room that a
  // smaller frame leaves.)
  const LINE = 24;
  const ROOM = 10;
  const snug = (el, smaller) => {
    const { height, legend } = el._fullLayout;
    const full = height + Math.max(0, Math.round((legend?._height ?? 0) - LINE));
    if (!smaller) return full;
    const lowest = Math.max(
      ...[...el.querySelectorAll(".g-xtitle, .xtick")].map((words) => words.getBoundingClientRect().bottom),
    );
    return Math.min(full, Math.ceil(lowest - el.getBoundingClientRect().top) + ROOM);
  };

  // A map's numbers take about 26 pixels each, and would run together in narrower cells: there its colours must do.
  const spare = (Plotly, el, data) => {
    const numbers = data.flatMap((trace, i) => (trace.type === "scatter" && trace.mode === "text" ? [i] : []));
    const fit = () =>
      numbers.forEach((i) => {
        const axis = el._fullLayout[(data[i].xaxis ?? "x").replace("x", "xaxis")];
        const wanted = axis._length / Math.abs(axis.range[1] - axis.range[0]) >= 26;
        if ((el.data[i].visible ?? true) !== wanted) Plotly.restyle(el, { visible: wanted }, [i]);
      });
    fit();
    el.on("plotly_afterplot", fit); // a phone was turned
  };

  // Small maps side by side: words longer than their axis are written smaller, and of numbers that would lie on each
  // other only some stand.
  const NUMBER = 22; // pixels that one takes
  const roomy = (el) => {
    const changes = {};
    const keys = Object.keys(el._fullLayout).filter((key) => /^xaxis\d*$/.test(key));
    if (keys.length < 2) return changes;
    for (const key of keys) {
      const axis = el._fullLayout[key];
      const wide = el.querySelector(`.g-${axis._id}title`)?.getBoundingClientRect().width ?? 0;
      if (wide > axis._length) {
        const size = Math.floor((axis.title.font.size * axis._length * 0.9) / wide);
        changes[`${key}.title.font.size`] = Math.max(9, size);
      }
      const { tickvals, ticktext } = axis;
      if (!tickvals || !ticktext?.every((text) => text.length > 0 && !Number.isNaN(Number(text)))) continue;
      const step = Math.ceil((NUMBER * tickvals.length) / axis._length);
      if (step < 2 || ticktext.every((text) => text.length === 1)) continue;
      changes[`${key}.tickvals`] = [...tickvals].filter((_, i) => i % step === 0);
      changes[`${key}.ticktext`] = [...ticktext].filter((_, i) => i % step === 0);
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
    delete layout.width; // a fixed width overflows on a phone
    const smaller = fitted(layout, box.clientWidth);
    const config = { responsive: true, displayModeBar: false };
    await Plotly.newPlot(el, { data: figure.data, layout, frames: figure.frames ?? [], config });
    await Plotly.relayout(el, roomy(el));
    const height = snug(el, smaller);
    if (height !== el._fullLayout.height) {
      box.style.minHeight = `${height}px`;
      await Plotly.relayout(el, { height });
    }
    spare(Plotly, el, figure.data);
    const recolour = () => {
      Plotly.relayout(el, skin(el.layout));
      toned(Plotly, el, figure);
    };
    await Plotly.relayout(el, { ...skin(el.layout), ...sparse(el._fullLayout) });
    toned(Plotly, el, figure);
    new MutationObserver(recolour).observe(document.documentElement, {
      attributes: true,
      attributeFilter: ["data-theme"],
    });
    box.dataset.ready = "1";
  };

  const start = () => {
    const near = new IntersectionObserver(
      (entries) => {
        for (const entry of entries.filter((each) => each.isIntersecting)) {
          near.unobserve(entry.target);
          draw(entry.target).catch((error) => {
            console.error(error);
            entry.target.textContent = error.message;
          });
        }
      },
      { rootMargin: "300px" },
    );
    document.querySelectorAll(".course-plotly").forEach((box) => near.observe(box));
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
