// A widget's settings. Its model is the one truth; the author's settings are kept for "reset"; what differs from them
// stands in the page's address (address.js), where a link to it is read from at the start.

import { pageAddress } from "./address.js";
import { takeMissedMessages } from "./missed_messages.js";
import { atMostEvery, h, oncePerFrame, setAttr, watchTheme } from "../drawing/ui.js";
import { NONE, sound } from "./settings.js";

/**
 * names: the model's traits that are settings. Returns {initialize, open(model, codecs, linked)}, one for all widgets
 * of a front end.
 */
export function settingsOf(names) {
  const begun = new WeakMap(); // model → the author's settings
  const valuesOf = (model) => Object.fromEntries(names.map((name) => [name, model.get(name)]));
  const initialize = ({ model }) => {
    begun.set(model, valuesOf(model));
  };

  /** codecs: name → {read, write}; linked: the settings that a link may hold. */
  function open(model, codecs, linked = names) {
    if (!begun.has(model)) initialize({ model });
    const authored = begun.get(model);
    const refused = names.filter((name) => codecs[name] && !sound(codecs[name], authored[name]));
    for (const name of refused) {
      authored[name] = codecs[name].start;
      model.set(name, authored[name]);
    }
    takeMissedMessages(model);
    const values = () => valuesOf(model);
    const address = pageAddress(model);
    function take(given, others = {}) {
      for (const name of linked) {
        const value = given[name] === undefined ? null : codecs[name].read(given[name]);
        if (value !== null) model.set(name, value === NONE ? null : value);
        else if (name in others) model.set(name, others[name]);
      }
    }
    const arrived = address.read();
    take(arrived);
    const save = atMostEvery(200, () => model.save_changes());
    function link(now, acting = linked) {
      address.write(
        Object.fromEntries(
          linked.map((name) => {
            const text = codecs[name].write(now[name]);
            return [name, !acting.includes(name) || text === codecs[name].write(authored[name]) ? null : text];
          }),
        ),
      );
    }
    /**
     * Calls `redraw` when a setting or one of `more` changes and, once something is `drawn`, when the theme turns or
     * `face` gets another size; `turned` hears the theme first. Returns a function that stops it.
     */
    function follow(redraw, { root, face, drawn, turned = () => {}, more = [] }) {
      const events = [...names, ...more].map((name) => `change:${name}`);
      const again = () => {
        if (drawn()) redraw();
      };
      for (const event of events) model.on(event, redraw);
      const unheard = address.listen((given) => take(given, authored));
      // Between open and here data may have been fetched: a button of the page that was pressed meanwhile has left its
      // settings there.
      const present = address.read();
      if (JSON.stringify(present) !== JSON.stringify(arrived)) take(present, authored);
      if (refused.length) {
        const words =
          `What was stored for ${refused.join(", ")} is nothing that this widget takes: it begins with ` +
          `its own values.`;
        root.prepend(h("p", { class: "course-soft", role: "note" }, words));
      }
      const unwatch = watchTheme(root, (theme) => {
        turned(theme);
        again();
      });
      const sized = new ResizeObserver(again);
      if (face) sized.observe(face);
      return () => {
        unwatch();
        unheard();
        sized.disconnect();
        for (const event of events) model.off(event, redraw);
      };
    }
    /**
     * Draws now, and from then on once a frame: when a setting or one of `more` changes, when the theme turns, when
     * `face` gets another size. draw(theme) gives false where there is nothing to draw yet. `el` is marked as ready.
     * Returns {redraw, stop}.
     */
    function live(draw, { root, el, face, more }) {
      let theme = "light";
      let drawn = false;
      let closed = false;
      const paint = () => {
        if (!closed && draw(theme) !== false) drawn = true;
      };
      const redraw = oncePerFrame(paint);
      const turned = (to) => {
        theme = to;
      };
      const unfollow = follow(redraw, { root, face, more, turned, drawn: () => drawn });
      paint();
      el.dataset.ready = "1";
      return {
        redraw,
        stop() {
          closed = true;
          unfollow();
        },
      };
    }
    return {
      authored,
      values,
      change(part) {
        for (const [name, value] of Object.entries(part)) model.set(name, value);
      },
      save,
      /** Puts the settings into the address; `acting`: those that mean something now. */
      link,
      /**
       * Tells what is drawn: the settings in the root's attributes data-NAME and in the address, what is read back in
       * the model.
       */
      publish(root, now, back) {
        for (const name of names) setAttr(root, `data-${name}`, codecs[name].write(now[name]));
        model.set(back);
        save();
        link(now);
      },
      follow,
      live,
    };
  }
  return { initialize, open };
}
