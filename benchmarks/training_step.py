"""A training step in the page against PyTorch: graph.js in a Chromium worker, PyTorch eager on one thread, in turns.

    python -m benchmarks.training_step        ratio per size (bar: at most 1.0), start-up, bytes

The two take turns in short bursts, so that whatever else this machine does meets both; a time is the median over bursts, the ratio
the median over pairs of bursts. By the clock on the wall on both sides: a page does not know its CPU time.
The worker is a classic one made from a Blob, as in the published page, and runs what esbuild makes of the sources.
"""

import gzip
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
import torch.nn.functional as F

from course_lib import checks
from course_lib.graphs import TokenModel, masked_cross_entropy, name_of
from tools.book.printing import QUIET, chromium_path
from tools.page.frontend import MODULES

ROOT = Path(__file__).resolve().parents[1]
RUNTIME = ROOT / "course_lib" / "widgets" / "runtime"
GRAPHS = ROOT / "course_lib" / "widgets" / "graphs"
BATCH, TOKENS, VOCAB = 16, 12, 16
SIZES = [  # layers, d, m, h, r
    (1, 8, 4, 1, 32),
    (1, 16, 8, 2, 64),
    (2, 32, 16, 4, 128),
]
BURSTS, STEPS, WARM_UP = 15, 40, 100
BAR = 1.0

ENTRY = """
import { trainer } from './training.js';
import { KERNEL } from './kernel.js';
let model;
onmessage = ({ data: { graph, adam, sizes, inputs, kernel, steps } }) => {
  const begin = performance.now();
  if (graph) {
    model = trainer(graph, adam, sizes, { kernel: kernel && Uint8Array.from(atob(KERNEL), c => c.charCodeAt(0)) });
    for (const name in inputs) model.set(name, inputs[name]);
    model.step(0.001);
  } else for (let i = 0; i < steps; i++) model.step(0.001);
  postMessage(performance.now() - begin);
};
"""
PAGE = """
source => {
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
  worker.onerror = event => { throw Error(event.message); };
  window.ask = message => new Promise(answer => { worker.onmessage = ({ data }) => answer(data); worker.postMessage(message); });
}
"""


def bundle(folder: Path) -> str:
    """The worker's script, as esbuild makes it for a page."""
    esbuild = next((MODULES / "@esbuild").glob("*/bin/esbuild"), None)
    if esbuild is None:
        sys.exit("esbuild is not installed: run `python -m tools.page.frontend widgets` once")
    for file in RUNTIME.glob("*.js"):
        shutil.copy(file, folder)
    (folder / "entry.js").write_text(ENTRY)
    command = [esbuild, folder / "entry.js", "--bundle", "--minify", "--format=iife", "--target=es2022"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Reference:
    """The ordinary loop on the same model and the same batch."""

    def __init__(self, layers, d, m, h, r):
        generator = torch.Generator().manual_seed(0)
        self.model = TokenModel(layers, VOCAB, d, m, h, r, generator=generator)
        symbols = torch.randint(VOCAB, (2, BATCH, TOKENS), generator=generator)
        self.tokens, self.targets = F.one_hot(symbols, VOCAB).float()
        self.positions = torch.randn(TOKENS, d, generator=generator).requires_grad_()
        self.mask, self.scale = torch.ones(TOKENS, TOKENS).tril(), m**-0.5
        self.optimizer = torch.optim.Adam([*self.model.parameters(), self.positions], lr=1e-3)
        self.count = sum(p.numel() for p in self.model.parameters()) + self.positions.numel()

    def inputs(self):
        tensors = dict(self.model.named_parameters()) | {"positions": self.positions, "tokens": self.tokens}
        tensors |= {"targets": self.targets, "mask": self.mask, "scale": torch.tensor(self.scale)}
        return {name: t.detach().flatten().tolist() for name, t in tensors.items()}

    def burst(self, steps) -> float:
        begin, allowed = time.perf_counter(), self.mask > 0.5
        with checks.trusted():
            for _ in range(steps):
                logits, _ = self.model(self.tokens, self.positions, allowed, self.scale)
                loss = masked_cross_entropy(logits, self.targets)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
        return (time.perf_counter() - begin) * 1000


def measure(browser, source, size, kernel):
    """Milliseconds per step in the page and in PyTorch, their ratio, start-up milliseconds, and the number of parameters."""
    layers, d, m, h, r = size
    reference = Reference(*size)
    page = browser.new_page()
    page.evaluate(PAGE, source)
    message = {
        "graph": json.loads((GRAPHS / f"{name_of(layers, 'pre', True)}.json").read_text()),
        "adam": json.loads((GRAPHS / "adam.json").read_text()),
        "sizes": {"b": BATCH, "n": TOKENS, "vocab": VOCAB, "d": d, "m": m, "h": h, "r": r},
        "inputs": reference.inputs(),
        "kernel": kernel,
    }
    start_up = page.evaluate("message => ask(message)", message)

    def in_page(steps):
        return page.evaluate("steps => ask({ steps })", steps)

    in_page(WARM_UP), reference.burst(WARM_UP)
    pairs = [(in_page(STEPS) / STEPS, reference.burst(STEPS) / STEPS) for _ in range(BURSTS)]
    page.close()
    ours, theirs = map(statistics.median, zip(*pairs, strict=True))
    return ours, theirs, statistics.median(a / b for a, b in pairs), start_up, reference.count


def main() -> int:
    from playwright.sync_api import sync_playwright

    torch.set_num_threads(1)
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        source = bundle(Path(folder))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=QUIET)
        print("parameters  kernel  page ms  PyTorch ms  ratio  start-up ms")
        for size in SIZES:
            for kernel in (False, True):
                ours, theirs, ratio, start_up, count = measure(browser, source, size, kernel)
                worst = max(worst, ratio) if kernel else worst
                label = "SIMD" if kernel else "plain"
                print(f"{count:10}  {label:6}  {ours:7.3f}  {theirs:10.3f}  {ratio:5.2f}  {start_up:11.1f}", flush=True)
        browser.close()
    graphs = b"".join(p.read_bytes() for p in sorted(GRAPHS.glob("*.json")))
    squeezed = len(gzip.compress(source.encode(), 9)), len(gzip.compress(graphs, 9))
    print(f"runtime {len(source)} bytes minified, {squeezed[0]} gzipped; all graphs {squeezed[1]} gzipped")
    print(f"worst ratio with the SIMD kernel {worst:.2f}, bar {BAR}")
    return 0 if worst <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
