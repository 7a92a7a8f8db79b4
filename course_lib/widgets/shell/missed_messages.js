// Under load anywidget (0.11) gives up on a widget whose code took more than two seconds to load: it is drawn, but
// every later message of the kernel is refused, the values that Python sets among them. Here such a widget is given its
// hearing back.

/**
 * Looks whether the live model behind `model` refuses messages; then it takes them directly, and asks Python for what
 * it has missed.
 */
export async function takeMissedMessages(model) {
  let live = null; // the proxy that a front end gets shows it in events alone
  const meet = (it) => {
    live = it;
  };
  model.on("change:met", meet);
  model.set("met", true);
  model.set("met", undefined);
  model.off("change:met", meet);
  if (!live?.comm_live) return; // a published page, or a notebook without a kernel
  try {
    await live._handle_comm_msg({ content: { data: { method: "nothing" } } });
  } catch {
    const plain = Object.getPrototypeOf(Object.getPrototypeOf(live))._handle_comm_msg;
    live.comm.on_msg((message) => plain.call(live, message));
    live.comm.send({ method: "request_state" }, live.callbacks());
  }
}
