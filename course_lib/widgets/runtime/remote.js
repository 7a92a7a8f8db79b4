// The page's end of a session: a worker where the page may start one, else the same code here, in short slices.

/** source: the worker's code; heard(message); session: the same code for the page. Returns {send, close, kind}. */
export function connect(source, heard, session) {
  let worker = null;
  let local = null;
  let alive = false;
  let closed = false;
  const early = []; // what a worker that never starts has been told
  const here = () => {
    worker?.terminate();
    worker = null;
    local = session(
      (message) =>
        setTimeout(() => {
          if (!closed) heard(message);
        }),
      { slice: 8 },
    );
    for (const message of early.splice(0)) local(message);
  };
  try {
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    worker = new Worker(url);
    worker.onmessage = ({ data }) => {
      alive = true;
      early.length = 0;
      URL.revokeObjectURL(url);
      heard(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (alive) heard({ type: "error", words: event.message });
      else here();
    };
  } catch {
    here(); // the page's policy forbids workers
  }
  return {
    get kind() {
      return worker ? "worker" : "page";
    },
    send(message) {
      if (closed) return;
      if (!worker) return local(message);
      if (!alive) early.push(message);
      worker.postMessage(message);
    },
    close() {
      closed = true;
      worker?.terminate();
      local?.({ type: "go", on: false });
    },
  };
}
