// Drives a session (course_lib/widgets/runtime/session.js) by its messages, as a page does it.

/** A page that has seen each frame a moment after it came, as long as it is attentive. */
export function drive(session) {
  let unseen = 0; // frames on their way to the page's eyes
  /** A moment, and until the page has seen what came. */
  async function rest() {
    do await new Promise((done) => setTimeout(done, 10));
    while (unseen);
  }
  const page = { latest: null, frames: 0, attentive: true, errors: [] };
  const send = session((message) => {
    if (message.type === "error") return page.errors.push(message.words);
    page.latest = structuredClone(message); // as a worker hands it over
    page.frames++;
    if (!page.attentive) return;
    unseen++;
    setTimeout(() => {
      unseen--;
      send({ type: "seen" });
    });
  });
  async function until(true_) {
    for (const end = performance.now() + 60_000; !true_(page.latest); await rest())
      if (performance.now() > end) throw Error(`never ${true_}`);
    return page.latest;
  }
  const trains = (steps) => send({ type: "go", on: true, speed: null, steps });
  return {
    page,
    rest,
    send,
    until,
    /** Begins a run, and gives its first frame. */
    async begins(message) {
      send({ type: "begin", ...message });
      await rest();
      return page.latest;
    },
    /** So many steps, and the frame at rest after them. */
    async steps(count) {
      const end = page.latest.step + count;
      trains(count);
      return until(({ step, on }) => step === end && !on);
    },
    async toTheEnd() {
      trains();
      return until(({ stopped }) => stopped);
    },
  };
}

/**
 * A whole conversation: begun, one step, nine more, to the end; a hopeless rate; and what is said of settings that are
 * none.
 */
export async function talked(session, begin, none) {
  const { page, send, until, begins, steps, toTheEnd } = drive(session);
  const told = { first: await begins(begin) };
  send({ type: "step" });
  await until(({ step }) => step === 1);
  told.ten = await steps(9);
  told.end = await toTheEnd();
  await begins({ ...begin, settings: { ...begin.settings, rate: 1e30 } });
  told.hopeless = await toTheEnd();
  if (none) await begins({ ...begin, settings: { ...begin.settings, ...none } });
  return { ...told, errors: page.errors };
}
