"""The real language model in the page against PyTorch's eager reader on one thread: the same numbers, how fast, how much memory.

    python -m benchmarks.real_model [--rounds 7] [--engines]      rows with their bars; exit 1 where one is missed (needs Chromium)
    python -m benchmarks.real_model --graph                       why it is no traced graph: bytes and milliseconds of a layer's maps

Page and PyTorch take turns, so that whatever else this machine does meets both: a ratio is the median over the turns' own ratios. The
page's times are those of a promise: the message to the worker and back is in them. --engines: Firefox and WebKitGTK too, without bars.
"""

import argparse
import base64
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlparse

import numpy as np
import torch
from playwright.sync_api import sync_playwright

from course_lib.pretrained.smollm import SmolLM
from studies.fact_probe import FACTS, FURTHER, OTHERS
from studies.next_words import TEXTS
from tests.shared.graph_node import node
from tests.shared.real_model_page import served, write_page
from tools.book.printing import QUIET, chromium_path
from tools.page import real_models

FIFTY = [*OTHERS, *TEXTS, *("".join(parts[:3]) for parts in (*FACTS, *FURTHER))][:50]
CLEAN, DIRTY = "Yesterday the city of Paris was full of snow and ice.", "Yesterday the museum of Paris was full of snow and ice."
PROMPT, BURST = 32, 10  # tokens read at once; tokens written in a turn
BARS = {  # name → (words, largest or smallest, which)
    "logits": ("largest difference of a logit, 50 sentences", 0.05, max),
    "argmax": ("places where another token is the likeliest", 0, max),
    "decode": ("tokens a second, written one by one", 20, min),
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
  const begun = performance.now();
  globalThis.model = await engine.openModel({ name, worker });
  return (performance.now() - begun) / 1000;
}"""
TIMED = "async (given) => { const begun = performance.now(); %s; return (performance.now() - begun) / 1000; }"
MAPS = TIMED % "await model.run(given)"
READ = TIMED % "await model.run(given, { maps: false, stream: false })"
LENS = TIMED % "await model.lensOf(given, given.length - 1)"
WRITE = """async ([tokens, count]) => {
  const begun = performance.now();
  for (let i = 0; i < count; i++) {
    const logits = await model.next(tokens);
    let best = 0;
    for (let k = 1; k < logits.length; k++) if (logits[k] > logits[best]) best = k;
    tokens = [...tokens, best];
  }
  return [(performance.now() - begun) / 1000, tokens];
}"""
PATCH = """async ([clean, dirty, yes, no]) => {
  const begun = performance.now();
  let first = 0;
  const onCells = () => { first ||= performance.now() - begun; };
  const { cells } = await model.patchMap(clean, dirty, { yes, no, onCells });
  return [(performance.now() - begun) / 1000, first / 1000, cells.length];
}"""


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


def peak() -> float:
    """MB of the largest renderer, at its highest."""
    return max(int(status(folder)["VmHWM"].split()[0]) / 1024 for folder in renderers())


def busy() -> float:
    """Seconds that processors have spent in the renderers."""
    fields = [(folder / "stat").read_text().rpartition(")")[2].split() for folder in renderers()]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


class Reader:
    """PyTorch's side: the same work in seconds."""

    def __init__(self) -> None:
        torch.set_num_threads(1)
        self.lm = SmolLM.load()

    @torch.no_grad()
    def read(self, tokens: list[int]) -> float:
        begun = time.perf_counter()
        hidden, _, _ = self.lm.forward(torch.tensor([tokens]), self.lm.start())
        self.lm.unembed(hidden[-1][:, -1])
        return time.perf_counter() - begun

    @torch.no_grad()
    def write(self, tokens: list[int], count: int) -> tuple[float, list[int]]:
        state = self.lm.forward(torch.tensor([tokens[:-1]]), self.lm.start())[2]
        begun = time.perf_counter()
        for _ in range(count):
            logits, state = self.lm.step(torch.tensor(tokens[-1:]), state)
            tokens = [*tokens, int(logits.argmax())]
        return time.perf_counter() - begun, tokens


def turns(rounds: int, page: Callable[[], float], torchs: Callable[[], float]) -> tuple[float, float]:
    """Median seconds in the page, and the median over turns of PyTorch's seconds by the page's."""
    pairs = [(page(), torchs()) if turn % 2 else (torchs(), page())[::-1] for turn in range(rounds)]
    return statistics.median(mine for mine, _ in pairs), statistics.median(theirs / mine for mine, theirs in pairs)


def figures(evaluate: Callable, reader: Reader, rounds: int) -> dict[str, float]:
    """What a page that holds the engine measures, with PyTorch beside it."""
    lm = reader.lm
    prompt = (lm.encode(" ".join(OTHERS)))[:PROMPT]
    found = {"open": evaluate(OPEN, "smollm2"), "first_map": evaluate(MAPS, lm.encode(OTHERS[0])[:12])}
    evaluate(WRITE, [prompt, 3])
    mine = evaluate(WRITE, [prompt, BURST])[1]
    if mine != reader.write(prompt, BURST)[1]:
        print("the page and PyTorch do not write the same tokens", file=sys.stderr)
    # The prompt is read before the clock starts, on both sides.
    seconds, ratio = turns(
        rounds,
        lambda: (evaluate(WRITE, [prompt, 1]), evaluate(WRITE, [mine[: PROMPT + 1], BURST])[0])[1],
        lambda: reader.write(mine[: PROMPT + 1], BURST)[0],
    )
    found |= {"decode": BURST / seconds, "decode_ratio": ratio}
    found["prefill"], found["prefill_ratio"] = turns(rounds, lambda: evaluate(READ, prompt), lambda: reader.read(prompt))
    found["lens"] = statistics.median(evaluate(LENS, prompt) for _ in range(rounds + 1))
    before = busy()
    clean, dirty = lm.encode(CLEAN), lm.encode(DIRTY)
    found["cells"], found["first_cell"], found["count"] = min(evaluate(PATCH, [clean, dirty, *lm.encode(" cold warm")]) for _ in range(2))
    found["cells_busy"] = (busy() - before) / 2
    return found


def differences(folder: Path, lm: SmolLM) -> tuple[float, int]:
    """Over all places of FIFTY: the largest difference of a logit, and at how many places another token is the likeliest."""
    worst, other = 0.0, 0
    for start in range(0, len(FIFTY), 10):
        texts = FIFTY[start : start + 10]
        calls = [["run", lm.encode(text), {"maps": False, "stream": False, "logits": "all"}] for text in texts]
        for text, answer in zip(texts, node("real_model.mjs", {"folder": str(folder), "calls": calls})["answers"], strict=True):
            want = lm.read(text).logits
            got = torch.from_numpy(np.frombuffer(base64.b64decode(answer["logits"]["floats"]), "<f4").copy()).view(want.shape)
            worst = max(worst, float((got - want).abs().max()))
            other += int((got.argmax(-1) != want.argmax(-1)).sum())
    return worst, other


def in_chromium(home: str, reader: Reader, rounds: int) -> dict[str, float]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=QUIET)
        page, hosts = browser.new_page(), set()
        page.on("request", lambda request: hosts.add(urlparse(request.url).netloc))
        page.goto(home + "page.html")
        found = figures(page.evaluate, reader, rounds)
        found |= {"memory": peak(), "hosts": len(hosts - {urlparse(home).netloc, ""})}
        browser.close()
    return found


def in_others(home: str, reader: Reader, rounds: int) -> None:
    from tests.shared.engines import firefox, webkit

    for name, start in (("Firefox", firefox), ("WebKitGTK", webkit)):
        with start() as engine:
            engine.open(home + "page.html")
            found = figures(engine.evaluate, reader, rounds)
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
            if options.engines:
                in_others(home, reader, options.rounds)
        found["logits"], found["argmax"] = differences(folder / "_static" / "models" / "smollm2", reader.lm)
    missed = []
    for name, (words, bar, side) in BARS.items():
        held = side(found[name], bar) == bar
        missed += [] if held else [name]
        print(f"{found[name]:10.3f}  {words} (at {'most' if side is max else 'least'} {bar}){'' if held else '   MISSED'}")
    print(
        f"loaded in {found['open']:.1f} s, {found['prefill'] * 1000:.0f} ms for {PROMPT} tokens, {found['count']:.0f} cells, the first after {found['first_cell']:.2f} s, all in {found['cells_busy']:.1f} s of processor time"
    )
    return len(missed) > 0


if __name__ == "__main__":
    sys.exit(main())
