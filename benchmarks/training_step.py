"""A training step in the page against PyTorch: graph.js in a Chromium worker, PyTorch eager on one thread, in turns.

    python -m benchmarks.training_step        ratio per size (bar: at most 0.7), start-up, bytes

The two take turns in short bursts, so that whatever else this machine does meets both; a time is the median over
bursts, the ratio the median over pairs of bursts. By the clock on the wall on both sides: a page does not know its CPU
time. The worker is a classic one made from a Blob, as in the published page, and runs what esbuild makes of the
sources.
"""

import gzip
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F

from course_lib import checks
from course_lib.graphs import TokenModel, masked_cross_entropy, name_of
from course_lib.graphs.translator_run import LETTERS, D, TranslatorRun, TranslatorSettings, letters
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
TRANSLATORS = [  # what the translator trainer opens with, and what it takes at most
    TranslatorSettings(),
    TranslatorSettings(length=8, r=16, cell="rnn"),
    TranslatorSettings(length=8, r=32, attention=True),
    TranslatorSettings(length=8, r=40, cell="lstm"),
    TranslatorSettings(length=16, r=40, attention=True),
]
BURSTS, STEPS, WARM_UP = 15, 40, 100
BAR = 0.7

ENTRY = """
import { trainer } from './training.js';
import { KERNEL } from './kernel.js';
import { unrolled } from './unrolled.js';
let model;
onmessage = ({ data: { graph, adam, sizes, inputs, kernel, steps } }) => {
  const begin = performance.now();
  if (graph) {
    model = trainer(graph.encode ? unrolled(graph, sizes.n) : graph, adam, sizes, { kernel: kernel &&
      Uint8Array.from(atob(KERNEL), c => c.charCodeAt(0)) });
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
  window.ask = message => new Promise(answer => { worker.onmessage = ({ data }) => answer(data);
    worker.postMessage(message); });
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

    def burst(self, steps) -> float:
        begin = time.perf_counter()
        with checks.trusted():
            for _ in range(steps):
                loss = self.loss()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
        return (time.perf_counter() - begin) * 1000


class Explorer(Reference):
    def __init__(self, layers, d, m, h, r):
        self.name = f"transformer {layers} {d} {m} {h} {r}"
        self.graph = stored(name_of(layers, "pre", True))
        self.sizes = {"b": BATCH, "n": TOKENS, "vocab": VOCAB, "d": d, "m": m, "h": h, "r": r}
        generator = torch.Generator().manual_seed(0)
        self.model = TokenModel(layers, VOCAB, d, m, h, r, generator=generator)
        symbols = torch.randint(VOCAB, (2, BATCH, TOKENS), generator=generator)
        self.tokens, self.targets = F.one_hot(symbols, VOCAB).float()
        self.positions = torch.randn(TOKENS, d, generator=generator).requires_grad_()
        self.mask, self.scale = torch.ones(TOKENS, TOKENS).tril(), m**-0.5
        self.allowed = self.mask > 0.5
        self.optimizer = torch.optim.Adam([*self.model.parameters(), self.positions], lr=1e-3)
        self.count = sum(p.numel() for p in self.model.parameters()) + self.positions.numel()

    def inputs(self):
        tensors = dict(self.model.named_parameters()) | {"positions": self.positions, "tokens": self.tokens}
        tensors |= {"targets": self.targets, "mask": self.mask, "scale": torch.tensor(self.scale)}
        return {name: t.detach().flatten().tolist() for name, t in tensors.items()}

    def loss(self):
        logits, _ = self.model(self.tokens, self.positions, self.allowed, self.scale)
        return masked_cross_entropy(logits, self.targets)


class Translator(Reference):
    def __init__(self, settings):
        run, n, r, b = TranslatorRun(settings), settings.length, settings.r, settings.batch
        cell, end = settings.cell, "_attentive" * settings.attention
        self.name = f"translator {cell} length {n} r {r}" + " attention" * settings.attention
        self.graph = {
            "encode": stored(f"encode_{cell}"),
            "begin": stored(f"begin{end}"),
            "decode": stored(f"decode_{cell}{end}"),
        }
        self.sizes = {
            "s": n,
            "n": n,
            "b": b,
            "d": D,
            "r": r,
            "m": r // 2,
            "source_vocab": LETTERS,
            "vocab": LETTERS + 1,
        }
        self.run, self.model, self.optimizer = run, run.model, run.optimizer
        self.rows = letters(settings, run.random, b)
        self.count = sum(p.numel() for p in self.model.parameters())

    def inputs(self):
        """One-hot letters, time first, and the parameters in the parts that the graph has."""
        before = torch.cat([torch.full_like(self.rows.target[:, :1], LETTERS), self.rows.target[:, :-1]], 1)
        given = {
            "source": (self.rows.source, LETTERS),
            "read": (before, LETTERS + 1),
            "target": (self.rows.target, LETTERS + 1),
        }
        tensors = {name: F.one_hot(ids.T, size).float() for name, (ids, size) in given.items()}
        d, r = D, self.sizes["r"]
        for name, p in self.model.named_parameters():
            cuts = {"decoder.cell.W_x": {"y": d, "C": r}, "decoder.W_r": {"s": r, "C": r, "y": d}}.get(name, {})
            parts = zip(cuts, p.split(list(cuts.values())), strict=True) if cuts else ()
            tensors |= {f"{name}.{part}": rows for part, rows in parts} or {name: p}
        return {name: t.detach().flatten().tolist() for name, t in tensors.items()}

    def loss(self):
        return F.cross_entropy(self.run.read(self.rows)[0].flatten(0, 1), self.rows.target.flatten())


def stored(name):
    return json.loads((GRAPHS / f"{name}.json").read_text())


def measure(browser, source, reference, kernel):
    """Milliseconds per step in the page and in PyTorch, their ratio, start-up milliseconds, and the number of
    parameters."""
    page = browser.new_page()
    page.evaluate(PAGE, source)
    message = {
        "graph": reference.graph,
        "adam": stored("adam"),
        "sizes": reference.sizes,
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
        print(f"{'model':40}parameters  kernel  page ms  PyTorch ms  ratio  start-up ms")
        made = [
            *(partial(Explorer, *size) for size in SIZES),
            *(partial(Translator, settings) for settings in TRANSLATORS),
        ]
        for make in made:
            for kernel in (False, True):
                reference = make()
                ours, theirs, ratio, start_up, count = measure(browser, source, reference, kernel)
                worst = max(worst, ratio) if kernel else worst
                label = "SIMD" if kernel else "plain"
                print(
                    (
                        f"{reference.name:40}{count:10}  {label:6}  {ours:7.3f}  {theirs:10.3f}  {ratio:5.2f}  "
                        f"{start_up:11.1f}"
                    ),
                    flush=True,
                )
        browser.close()
    graphs = b"".join(p.read_bytes() for p in sorted(GRAPHS.glob("*.json")))
    squeezed = len(gzip.compress(source.encode(), 9)), len(gzip.compress(graphs, 9))
    print(f"runtime {len(source)} bytes minified, {squeezed[0]} gzipped; all graphs {squeezed[1]} gzipped")
    print(f"worst ratio with the SIMD kernel {worst:.2f}, bar {BAR}")
    return 0 if worst <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
