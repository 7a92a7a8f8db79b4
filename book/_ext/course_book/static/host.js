// Runs anywidgets in a static page: no kernel, no RequireJS, no html-manager.
//
// myst-nb stores the state of every widget in the page, and a marker where each one is shown. For each marker the host
// loads the widget's front end, gives it a model with anywidget's interface, and lets it draw. Code and data are named
// by content and come by script tag from _static/data/, so a page opened from a folder works like a served one.
(() => {
  // _static/, from book.js or from this file alone
  const root = document.currentScript.src.replace(/(course\/)?[^/]*$/, "");
  const waiting = new Map(); // key → { promise, resolve, reject }
  const asked = new Map(); // file → the promise that it is there

  const expected = (key) => {
    if (!waiting.has(key)) {
      const entry = {};
      entry.promise = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
      entry.promise.catch(() => waiting.delete(key)); // the next one who asks may try again
      waiting.set(key, entry);
    }
    return waiting.get(key);
  };
  const fetched = (file) => {
    if (!asked.has(file)) {
      const script = document.createElement("script");
      script.src = `${root}data/${file}.js`;
      const there = new Promise((resolve, reject) => {
        script.onload = resolve;
        script.onerror = () => reject(Error(`data/${file}.js could not be loaded`));
      });
      there.catch(() => asked.delete(file));
      asked.set(file, there);
      document.head.append(script);
    }
    return asked.get(file);
  };
  /** The text of a key, which stands in a file of its name or of another. */
  const load = (key, file = key) => {
    const { promise, reject } = expected(key);
    fetched(file).catch(reject);
    return promise;
  };
  /**
   * A part of an address as its writer meant it. Anybody may write one: where % begins no sign, it stands for itself.
   */
  const readable = (part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };
  /** The place that the address names, if the page has it. */
  const aim = () => document.getElementById(readable(location.hash.slice(1)));
  globalThis.__course = { root, load, readable, aim, deliver: (key, text) => expected(key).resolve(text) };

  const keyOf = (value) => (value.startsWith("course:") ? value.slice(7) : null);
  const text = (value, file) =>
    keyOf(value) ? load(keyOf(value), keyOf(file ?? value) ?? undefined) : Promise.resolve(value);

  // One module per front end, however many widgets on the page use it.
  const modules = new Map();
  const moduleOf = (code) => {
    if (!modules.has(code))
      modules.set(
        code,
        text(code).then(async (source) => {
          const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
          const { default: widget } = await import(url);
          URL.revokeObjectURL(url);
          return typeof widget === "function" ? widget() : widget;
        }),
      );
    return modules.get(code);
  };

  const styles = new Map();
  const styled = (code, file) => {
    if (!styles.has(code))
      styles.set(
        code,
        text(code, file).then((css) => {
          const style = document.createElement("style");
          style.textContent = css;
          document.head.append(style);
        }),
      );
    return styles.get(code);
  };

  // The part of anywidget's model that a front end may use. Without a kernel there is nobody to save or send to.
  const makeModel = (attributes) => {
    const listeners = new Map();
    const fire = (event, ...args) => [...(listeners.get(event) ?? [])].forEach((listener) => listener(...args));
    const model = {
      get: (name) => attributes[name],
      set(name, value) {
        const changes = typeof name === "object" ? name : { [name]: value };
        const changed = Object.keys(changes).filter((key) => attributes[key] !== changes[key]);
        Object.assign(attributes, changes);
        changed.forEach((key) => fire(`change:${key}`, model, changes[key]));
        if (changed.length) fire("change", model);
      },
      save_changes() {},
      send() {},
      on(names, listener) {
        for (const name of names.split(/\s+/)) listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
      },
      off(name, listener) {
        if (!name) listeners.clear();
        else if (!listener) listeners.delete(name);
        else listeners.get(name)?.delete(listener);
      },
    };
    return model;
  };

  const say = (el, words) => {
    const p = document.createElement("p");
    p.className = "course-note";
    p.textContent = words;
    el.append(p);
  };

  const show = async (record, el) => {
    if (!record?.state._esm) {
      // an ipywidget: its function lives in Python
      el.dataset.needs = "kernel";
      say(
        el,
        "This control runs your own Python. Above is its stored result; to move it, open this page as a notebook " +
          "(Run, at the top).",
      );
      return;
    }
    const { _esm: code, _css: style } = record.state;
    // a front end's style stands in its file
    const [widget] = await Promise.all([moduleOf(code), style && styled(style, code)]);
    record.model ??= makeModel({ ...record.state });
    record.started ??= Promise.resolve(
      widget.initialize?.({ model: record.model, signal: new AbortController().signal }),
    );
    await record.started;
    await widget.render({ model: record.model, el, signal: new AbortController().signal });
    el.dataset.ready = "1";
  };

  globalThis.__course.show = show; // for cards that a page shows later, as its recall boxes do

  // A widget with large data waits until it comes near the screen; the others start at once, their code fetched side by
  // side. Widgets that share a front end start in the page's order: their names in the address are counted in it.
  const near = (el) =>
    !globalThis.IntersectionObserver
      ? Promise.resolve()
      : new Promise((done) => {
          const watcher = new IntersectionObserver(
            (entries) => {
              if (!entries.some((entry) => entry.isIntersecting)) return;
              watcher.disconnect();
              done();
            },
            { rootMargin: "600px" },
          );
          watcher.observe(el);
        });

  const begin = async (record, el) => {
    try {
      await show(record, el);
    } catch (error) {
      console.error(error);
      say(el, `This widget could not start: ${error.message}`);
    }
    delete el.dataset.waits;
  };

  // A button in the text that sets dials: the widget takes them in place, and the view goes there. Elsewhere it is a
  // link.
  const setting = (event) => event.target.closest?.("a.course-dials");
  const dials = (event) => {
    const link = setting(event);
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const query = new URLSearchParams(location.search);
    const given = [...new URLSearchParams(link.search)];
    const widgets = new Set(given.map(([key]) => key.split(".")[0]));
    for (const key of [...query.keys()]) if (widgets.has(key.split(".")[0])) query.delete(key);
    for (const [key, value] of given) query.set(key, value);
    try {
      // a widget that has not started yet reads it there
      history.replaceState(history.state, "", `?${query}${link.hash}`);
    } catch {
      return; // from a file, in some browsers: the link leads there
    }
    event.preventDefault();
    dispatchEvent(new CustomEvent("course:dials", { detail: link.search }));
    const place = document.getElementById(link.hash.slice(1));
    place?.scrollIntoView();
    place?.setAttribute("tabindex", "-1");
    place?.focus({ preventScroll: true }); // the keyboard goes on there
  };
  const pressed = (event) => {
    if (event.key !== " " || !setting(event)) return;
    event.preventDefault();
    setting(event).click();
  };

  const start = async () => {
    for (const link of document.querySelectorAll("a.course-dials")) link.setAttribute("role", "button");
    document.addEventListener("click", dials);
    document.addEventListener("keydown", pressed);
    const stored = document.querySelector('script[type="application/vnd.jupyter.widget-state+json"]');
    if (!stored) return;
    const { state } = JSON.parse(stored.textContent);
    const views = [...document.querySelectorAll('script[type="application/vnd.jupyter.widget-view+json"]')];
    const places = views.map((view) => {
      const record = state[JSON.parse(view.textContent).model_id];
      const kept = view.nextElementSibling;
      const ready = kept?.classList.contains("course-widget");
      const el = ready ? kept : document.createElement("div"); // live.py keeps a box; a bare page has none
      el.className = "course-widget";
      el.dataset.waits = record?.state.heavy ? "near" : "code"; // course.css keeps room until it has started
      if (!ready) view.after(el);
      return [record, el];
    });
    const light = places.filter(([record]) => !record?.state.heavy);
    for (const [record, el] of places) if (record?.state.heavy) near(el).then(() => begin(record, el));
    await Promise.all(light.map(([record, el]) => begin(record, el)));
    document.documentElement.dataset.courseReady = "1";
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
