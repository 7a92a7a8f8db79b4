// Which question to ask again, and when: five boxes, as Leitner had them. Pure: the time comes in, nothing is stored
// here.
//
// A question enters box 1 when it is first answered. When its time is over it is due. Right: it moves one box on and
// comes back later.
// Wrong: back to box 1. Times are whole days of the reader's calendar, so that an evening's question is due on the next
// morning.
(() => {
  const DAYS = [1, 3, 7, 21, 60]; // until a question of box 1 … 5 comes back
  const DAY = 86_400_000;

  /** The reader's calendar day as a number; `offset` as from Date.getTimezoneOffset(), in minutes. */
  const dayOf = (at, offset) => Math.floor((at - offset * 60_000) / DAY);

  /** A time that lies more than a day ahead was written by a clock that was wrong: it counts as long ago. */
  const past = (at, now) => (at === null || at === undefined || at > now + DAY ? -Infinity : Math.min(at, now));

  /**
   * Where a question stands: null if never answered, else {box, at}. `page` is the record of its card on its own page,
   * `recall` that of the boxes; the later one decides. Answered right on its page again, it stays in its box and the
   * wait begins anew.
   */
  function standing(page, recall, now) {
    const there = page?.tried ? past(page.at, now) : null;
    const here = recall ? past(recall.at, now) : null;
    if (there === null) return recall ? { box: recall.box, at: here } : null;
    if (here === null) return { box: 1, at: there };
    if (here >= there) return { box: recall.box, at: here };
    return { box: page.right === false ? 1 : recall.box, at: there };
  }

  /** The day on which it is due; −∞ where nobody knows when it was answered. */
  const dueDay = (stands, offset) => dayOf(stands.at, offset) + DAYS[stands.box - 1];
  const isDue = (stands, { now, offset }) => stands !== null && dueDay(stands, offset) <= dayOf(now, offset);

  /**
   * The record after an answer in a recall box. Right before its time: it stays where it is, for one may know it from
   * just now.
   */
  function after(stands, correct, clock) {
    if (!correct || stands === null) return { box: 1, at: clock.now };
    if (!isDue(stands, clock)) return { box: stands.box, at: stands.at };
    return { box: Math.min(stands.box + 1, DAYS.length), at: clock.now };
  }

  /** A number that mixes a day and a name well (FNV-1a): the same all day, another order tomorrow. */
  function mixed(day, id) {
    let hash = 0x811c9dc5;
    for (const sign of `${day}:${id}`) hash = Math.imul(hash ^ sign.codePointAt(0), 0x01000193) >>> 0;
    return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
  }

  /**
   * Every question in the order in which to ask: [{id, why}]. `questions` are {id, stands}, and why is
   *   "due"    its time is over; the longest overdue first
   *   "new"    never answered; in an order of the day
   *   "early"  answered, and not due yet; the next one due first
   */
  function order(questions, { now, offset }) {
    const today = dayOf(now, offset);
    const rank = ["due", "new", "early"];
    const less = (a, b) => (a === b ? 0 : a < b ? -1 : 1); // −∞ − −∞ is no number
    return questions
      .map(({ id, stands }) => {
        const day = stands ? dueDay(stands, offset) : mixed(today, id);
        return { id, day, at: stands?.at, why: stands === null ? "new" : day <= today ? "due" : "early" };
      })
      .sort(
        (a, b) =>
          rank.indexOf(a.why) - rank.indexOf(b.why) || less(a.day, b.day) || less(a.at, b.at) || less(a.id, b.id),
      )
      .map(({ id, why }) => ({ id, why }));
  }

  /**
   * How many to ask at first: up to three, what is due before what is new, and nothing new once three were answered
   * today.
   */
  function first(ordered, answeredToday, most = 3) {
    const due = Math.min(most, ordered.filter(({ why }) => why === "due").length);
    const fresh = ordered.filter(({ why }) => why === "new").length;
    return due + Math.min(fresh, Math.max(0, most - due - answeredToday));
  }

  globalThis.__course.schedule = { DAYS, dayOf, standing, dueDay, isDue, after, order, first };
})();
