"""Small changes of the code that a test must catch: each is made in a copy of the tree, and the tests that must fail
are run there.

    python -m tools.suite.mutants                      every mutant of tests/mutants.yml    (make mutants)
    python -m tools.suite.mutants --only gru decode    those whose id or file holds one of these words

A mutant is a text that stands in its file exactly once, another one in its place, and what pytest is to run. It is
*killed* where a test fails or takes ten times the processor's time, and *survives* where all pass; with a reason under
`survives` it may. It is *faulty* where its file can no
longer be read, or where its tests fail without it too: then a failure says nothing. The checkout is never touched.
The exit status is 1 where a mutant survives without a reason, is killed in spite of one, or is faulty. Needs a system
with `fork`.
"""

import argparse
import math
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, TextIO

import pytest
import yaml

from course_lib import long_work

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "tests" / "mutants.yml"
MINUTES = 6  # all of them, on one core
KEPT = "nothing is kept; --only goes on where you like"
PATIENCE = 30, 10  # seconds of the processor, and times what the tests take without a mutant: then it is killed
HANG = 300  # seconds by the clock, for what waits without working
HEAVY = ("torch._dynamo", "hypothesis", "anywidget", "nbval.plugin")  # what the tests import, and never changes
OURS = {"course_lib", "course_book", "tests", "tools", "studies", "benchmarks"}  # what does
UNREADABLE = re.compile(r"ERROR collecting|\b(Syntax|Indentation|Name|Import|UnboundLocal|Reference)Error\b")
KILLED, SURVIVED, FAULTY = "killed", "survived", "faulty"


class Mutant(NamedTuple):
    """`means` says what is wrong with it, `old` and `new` are texts of `file`, `tests` what pytest is given, `survives`
    why it may."""

    id: str
    means: str
    file: str
    old: str
    new: str
    tests: str
    survives: str = ""


def listed(path: Path = LIST) -> list[Mutant]:
    return [Mutant(**each) for each in yaml.safe_load(path.read_text(encoding="utf-8"))]


def problems(mutants: list[Mutant], root: Path = ROOT) -> list[str]:
    """What is wrong with the list itself, in words: texts that are gone, tests that are not there, ids used twice."""
    found = []
    for number, each in enumerate(mutants):
        path = root / each.file
        times = path.read_text(encoding="utf-8").count(each.old) if path.is_file() else 0
        if times != 1:
            found.append(f"{each.id}: old must stand once in {each.file}, got {times} times")
        if each.new == each.old:
            found.append(f"{each.id}: new must differ from old")
        files = [word.partition("::")[0] for word in shlex.split(each.tests) if ".py" in word]
        found += [f"{each.id}: there is no {file}" for file in files or ["test named"] if not (root / file).is_file()]
        if each.id in {other.id for other in mutants[:number]}:
            found.append(f"{each.id}: an id must be used once")
    return found


def copied(root: Path, tree: Path) -> Path:
    """The files that git knows or would add, as they are in the checkout now."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (root / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, tree / name)
    return tree


def passes(tree: Path, tests: str, limit: float = math.inf) -> tuple[bool, str, float]:
    """Do these tests pass in the tree, none of their processes working longer than `limit` seconds? What pytest said,
    and the processor's seconds.

    They run in a fork of this process, which has imported HEAVY for all of them: that takes longer than most tests.
    What else the machine does at the time changes nothing.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        sys.stdout.flush()
        if (child := os.fork()) == 0:
            try:
                if limit < math.inf:
                    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit)))
                os._exit(_run(tree, tests, log))
            finally:
                os._exit(pytest.ExitCode.INTERNAL_ERROR)
        begun, ended, status, used = time.monotonic(), 0, 1, None
        try:
            while not ended and time.monotonic() - begun < HANG:
                ended, status, used = os.wait4(child, os.WNOHANG)
                time.sleep(0 if ended else 0.02)
        finally:  # with all that it has started: Node in an endless loop would run on
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            if not ended:
                os.waitpid(child, 0)
        log.seek(0)
        return bool(ended) and status == 0, log.read(), used.ru_utime + used.ru_stime if ended else HANG


def _run(tree: Path, tests: str, log: TextIO) -> int:
    """pytest's exit status. Nothing of ours that this process has imported is left, and no compiled module is written:
    a mutant of the same length, made within the same second, would be taken for the original."""
    os.setsid()
    for stream in (1, 2):
        os.dup2(log.fileno(), stream)
    sys.stdout = sys.stderr = log
    os.chdir(tree)
    os.environ |= {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    sys.dont_write_bytecode = True
    sys.path[:] = [
        str(tree),
        *(path for path in sys.path if not Path(path).is_relative_to(ROOT) or "site-packages" in path),
    ]
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    status = pytest.main(["-x", "-q", "--tb=line", "-p", "no:cacheprovider", *shlex.split(tests)])
    log.flush()
    return status


def tried(mutant: Mutant, tree: Path, seconds: dict[str, float]) -> tuple[str, str]:
    """KILLED, SURVIVED or FAULTY, and why. `seconds` keeps how long each selection of tests keeps the processor without
    a mutant."""
    if mutant.tests not in seconds:
        good, said, took = passes(tree, mutant.tests)
        if not good:
            return FAULTY, f"its tests fail without it:\n{said[-1000:]}"
        seconds[mutant.tests] = took
    path = tree / mutant.file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        good, said, _ = passes(tree, mutant.tests, PATIENCE[0] + PATIENCE[1] * seconds[mutant.tests])
    finally:
        path.write_text(text, encoding="utf-8")
    if good:
        return SURVIVED, mutant.survives
    return (FAULTY, f"it cannot be read:\n{said[-1000:]}") if UNREADABLE.search(said) else (KILLED, "")


def expected(mutant: Mutant, verdict: str) -> bool:
    return verdict == (SURVIVED if mutant.survives else KILLED)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD")
    only, mutants = parser.parse_args().only, listed()
    if wrong := problems(mutants):
        print("\n".join(wrong))
        return 1
    chosen = [each for each in mutants if not only or any(word in each.id or word in each.file for word in only)]
    for name in HEAVY:
        import_module(name)
    found: dict[Mutant, tuple[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        tree, seconds = copied(ROOT, Path(folder).resolve()), {}
        for mutant in long_work.runs(chosen, minutes=MINUTES * len(chosen) / len(mutants), unit="mutant", kept=KEPT):
            begun = time.monotonic()
            found[mutant] = tried(mutant, tree, seconds)
            print(f"{found[mutant][0]:9}{time.monotonic() - begun:4.0f} s  {mutant.id}", flush=True)
    for mutant, (verdict, why) in found.items():
        if verdict != KILLED or not expected(mutant, verdict):
            print(
                f"\n{mutant.id} {verdict}: {mutant.means} ({mutant.file}, "
                f"{mutant.tests})\n{why or mutant.survives or 'no reason is given'}"
            )
    counts = {verdict: sum(each == verdict for each, _ in found.values()) for verdict in (KILLED, SURVIVED, FAULTY)}
    print(f"\n{len(found)} mutants: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return int(not all(expected(mutant, verdict) for mutant, (verdict, _) in found.items()))


if __name__ == "__main__":
    sys.exit(long_work.interruptible(main, KEPT))
