"""The real language model in the page against PyTorch's eager reader on one thread: the same numbers, how fast, how
much memory.

    python -m benchmarks.real_model [--rounds 7] [--engines]      rows with their bars; exit 1 where one is missed
                                            (needs Chromium)

Page and PyTorch take turns, and a ratio is the median over the turns' own ratios. Times are processor time, of all
threads of the page's renderer and of PyTorch's one, so that whatever else this machine does counts little; the messages
to the worker and back are in them.
Memory is read from a Chromium that no driver listens to: one that does keeps a copy of all that comes. --engines:
Firefox and WebKitGTK too, by the clock on the wall and without bars.
"""

import argparse
import base64
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlparse

import numpy as np
import torch
from playwright.sync_api import sync_playwright

from course_lib.pretrained.smollm import SmolLM
from studies.fact_probe import FACTS, FURTHER, OTHERS
from studies.next_words import TEXTS
from tests.shared.graph_node import node
from tests.shared.pages import HANG
from tests.shared.real_model_page import served, write_page
from tools.book.printing import QUIET, chromium_path
from tools.book.serve import Pages
from tools.page import real_models

FIFTY = [*OTHERS, *TEXTS, *("".join(parts[:3]) for parts in (*FACTS, *FURTHER))][:50]
CLEAN, DIRTY = (
    "Yesterday the city of Paris was full of snow and ice.",
    "Yesterday the museum of Paris was full of snow and ice.",
)
PROMPT, BURST = 32, 10  # tokens read at once; tokens written in a turn
BARS = {  # name → (words, largest or smallest, which)
    "logits": ("largest difference of a logit, 50 sentences", 0.05, max),
    "argmax": ("places where another token is the likeliest", 0, max),
    "decode": ("tokens a second of processor time, written one by one", 20, min),
    "decode_ratio": ("of PyTorch's tokens a second", 1.3, min),
    "prefill_ratio": (f"of PyTorch's speed in reading {PROMPT} tokens", 0.8, min),
    "lens": ("seconds for the lens on 31 layers", 0.1, max),
    "cells": ("seconds for a patch map of 300 cells", 8, max),
    "first_map": ("seconds from the weights to the first maps", 2, max),
    "memory": ("MB of the renderer at its highest, http", 350, max),
    "hosts": ("other hosts asked", 0, max),
}
OPEN = """async (name) => {
  await ready;
  globalThis.model = await engine.openModel({ name, worker });
}"""
MAPS = "async (tokens) => { await model.run(tokens); }"
READ = "async (tokens) => { await model.run(tokens, { maps: false, stream: false }); }"
LENS = "async (tokens) => { await model.lensOf(tokens, tokens.length - 1); }"
WRITE = """async ([tokens, count]) => {
  for (let i = 0; i < count; i++) {
    const logits = await model.next(tokens);
    let best = 0;
    for (let k = 1; k < logits.length; k++) if (logits[k] > logits[best]) best = k;
    tokens = [...tokens, best];
  }
  return tokens;
}"""
PATCH = """async ([clean, dirty, yes, no]) => {
  const begun = performance.now();
  let first = 0;
  const onCells = () => { first ||= (performance.now() - begun) / 1000; };
  const { cells } = await model.patchMap(clean, dirty, { yes, no, onCells });
  return [first, cells.length];
}"""
ALONE = """<script>(async () => {
  await ready;
  const model = await engine.openModel({ name: "smollm2", worker });
  const tokens = Array(%d).fill(504);
  await model.run(tokens);
  for (let i = 0; i < 10; i++) await model.next((tokens.push(i), tokens));
  await fetch("done");
})();</script>"""


def status(folder: Path) -> dict[str, str]:
    return dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())


def renderers() -> Iterator[Path]:
    """/proc's folders of the renderers that this process has started."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            parents[folder.name] = status(folder)["PPid"].strip()
    for process in parents:
        line, each = [], process
        while each in parents:
            line, each = [*line, each], parents[each]
        with suppress(OSError):
            if str(os.getpid()) in line and "--type=renderer" in Path(f"/proc/{process}/cmdline").read_text():
                yield Path(f"/proc/{process}")


def processor() -> float:
    """Seconds that processors have spent in the renderers' threads."""
    spent = 0
    for folder in renderers():
        for thread in folder.glob("task/*/schedstat"):
            with suppress(OSError):
                spent += int(thread.read_text().split()[0])
    return spent / 1e9


def memory(folder: Path) -> float:
    """MB of the renderer at its highest: the model is loaded over http, reads and writes, in a Chromium of its own."""
    page, done = folder / "alone.html", threading.Event()
    page.write_text((folder / "page.html").read_text(encoding="utf-8") + ALONE % PROMPT, encoding="utf-8")

    class Listening(Pages):
        def do_GET(self):
            if self.path == "/done":
                done.set()
            return super().do_GET()

    pages = ThreadingHTTPServer(("127.0.0.1", 0), partial(Listening, directory=str(folder)))
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            chromium_path(),
            "--headless",
            *QUIET,
            f"--user-data-dir={profile}",
            f"http://127.0.0.1:{pages.server_port}/alone.html",
        ]
        browser = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            if not done.wait(HANG / 1000):
                raise SystemExit("the page alone did not come to its end")
            return max(int(status(folder)["VmHWM"].split()[0]) / 1024 for folder in renderers())
        finally:
            browser.terminate()
            browser.wait()
            pages.shutdown()


class Reader:
    """PyTorch's side."""

    def __init__(self) -> None:
        torch.set_num_threads(1)
        self.lm = SmolLM.load()

    @torch.no_grad()
    def read(self, tokens: list[int]) -> None:
        hidden, _, _ = self.lm.forward(torch.tensor([tokens]), self.lm.start())
        self.lm.unembed(hidden[-1][:, -1])

    @torch.no_grad()
    def state(self, tokens: list[int]) -> tuple:
        return self.lm.forward(torch.tensor([tokens]), self.lm.start())[2]

    def write(self, tokens: list[int], count: int, state: tuple) -> list[int]:
        """`count` more tokens, each the likeliest; `state` is that before the last one."""
        for _ in range(count):
            logits, state = self.lm.step(torch.tensor(tokens[-1:]), state)
            tokens = [*tokens, int(logits.argmax())]
        return tokens


class Clocks:
    """Seconds of what the page does and of what PyTorch does, by `page()` and `here()`."""

    def __init__(self, evaluate: Callable, page: Callable[[], float], here: Callable[[], float]) -> None:
        self.evaluate, self.page, self.here = evaluate, page, here

    def of_page(self, code: str, given: object) -> float:
        begun = self.page()
        self.evaluate(code, given)
        return self.page() - begun

    def of_torch(self, work: Callable, *given: object) -> float:
        begun = self.here()
        work(*given)
        return self.here() - begun


def turns(rounds: int, page: Callable[[], float], torchs: Callable[[], float]) -> tuple[float, float]:
    """Median seconds in the page, and the median over turns of PyTorch's seconds by the page's."""
    pairs = [(page(), torchs()) if turn % 2 else (torchs(), page())[::-1] for turn in range(rounds)]
    return statistics.median(mine for mine, _ in pairs), statistics.median(theirs / mine for mine, theirs in pairs)


def figures(clocks: Clocks, reader: Reader, rounds: int) -> dict[str, float]:
    """What a page that holds the engine needs, with PyTorch beside it."""
    lm, evaluate = reader.lm, clocks.evaluate
    prompt = lm.encode(" ".join(OTHERS))[:PROMPT]
    found = {"open": clocks.of_page(OPEN, "smollm2"), "first_map": clocks.of_page(MAPS, prompt[:12])}
    state = reader.state(prompt)
    begun = reader.write(prompt, 1, reader.state(prompt[:-1]))
    if evaluate(WRITE, [prompt, BURST + 1]) != reader.write(begun, BURST, state):
        raise SystemExit("the page and PyTorch do not write the same tokens")

    def write() -> float:
        evaluate(WRITE, [prompt, 1])  # what is before is read before the clock starts, on both sides
        return clocks.of_page(WRITE, [begun, BURST])

    seconds, ratio = turns(rounds, write, lambda: clocks.of_torch(reader.write, begun, BURST, state))
    found |= {"decode": BURST / seconds, "decode_ratio": ratio}
    found["prefill"], found["prefill_ratio"] = turns(
        rounds, lambda: clocks.of_page(READ, prompt), lambda: clocks.of_torch(reader.read, prompt)
    )
    evaluate(LENS, prompt)
    found["lens"] = statistics.median(clocks.of_page(LENS, prompt) for _ in range(rounds))
    given = [lm.encode(CLEAN), lm.encode(DIRTY), *lm.encode(" cold warm")]
    found["first_cell"], found["count"] = evaluate(PATCH, given)
    found["cells"] = clocks.of_page(PATCH, given)
    return found


def differences(folder: Path, lm: SmolLM) -> tuple[float, int]:
    """Over all places of FIFTY: the largest difference of a logit, and at how many places another token is the
    likeliest."""
    worst, other = 0.0, 0
    for start in range(0, len(FIFTY), 10):
        texts = FIFTY[start : start + 10]
        calls = [["run", lm.encode(text), {"maps": False, "stream": False, "logits": "all"}] for text in texts]
        for text, answer in zip(
            texts, node("real_model.mjs", {"folder": str(folder), "calls": calls})["answers"], strict=True
        ):
            want = lm.read(text).logits
            got = torch.from_numpy(np.frombuffer(base64.b64decode(answer["logits"]["floats"]), "<f4").copy()).view(
                want.shape
            )
            worst = max(worst, float((got - want).abs().max()))
            other += int((got.argmax(-1) != want.argmax(-1)).sum())
    return worst, other


def in_chromium(home: str, reader: Reader, rounds: int) -> dict[str, float]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=QUIET)
        page, hosts = browser.new_page(), set()
        page.on("request", lambda request: hosts.add(urlparse(request.url).netloc))
        page.goto(home + "page.html")
        found = figures(Clocks(page.evaluate, processor, time.process_time), reader, rounds)
        found |= {"hosts": len(hosts - {urlparse(home).netloc, ""})}
        browser.close()
    return found


def in_others(home: str, reader: Reader, rounds: int) -> None:
    from tests.shared.engines import firefox, webkit

    for name, start in (("Firefox", firefox), ("WebKitGTK", webkit)):
        with start() as engine:
            engine.open(home + "page.html")
            found = figures(Clocks(engine.evaluate, time.perf_counter, time.perf_counter), reader, rounds)
        print(f"{name}: {json.dumps({key: round(value, 3) for key, value in found.items()})}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--engines", action="store_true", help="Firefox and WebKitGTK too")
    options = parser.parse_args()
    reader = Reader()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        offered = real_models.write(folder / "_static")
        write_page(folder, offered)
        with served(folder) as home:
            found = in_chromium(home, reader, options.rounds)
            found["memory"] = memory(folder)
            if options.engines:
                in_others(home, reader, options.rounds)
        found["logits"], found["argmax"] = differences(folder / "_static" / "models" / "smollm2", reader.lm)
    missed = []
    for name, (words, bar, side) in BARS.items():
        held = side(found[name], bar) == bar
        missed += [] if held else [name]
        print(
            f"{found[name]:10.3f}  {words} (at {'most' if side is max else 'least'} {bar}){'' if held else '   MISSED'}"
        )
    print(
        f"loaded in {found['open']:.1f} s, {found['prefill'] * 1000:.0f} ms for {PROMPT} tokens, "
        f"{found['count']:.0f} cells, the first after {found['first_cell']:.2f} s"
    )
    return len(missed) > 0


if __name__ == "__main__":
    sys.exit(main())
