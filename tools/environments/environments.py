"""Fresh environments in which the course is installed as a user would have it: newest or oldest of everything that pyproject.toml allows, or Colab's.

uv resolves and installs. Which index it asks, and whether torch comes with CUDA, is set as always with uv: UV_INDEX_URL,
UV_FIND_LINKS, UV_TORCH_BACKEND=cpu. An environment whose resolution and course have not changed is used again.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGED = ("course_lib", "pyproject.toml", "README.md", "LICENSE")


class Wanted(NamedTuple):
    """An environment to be made. `resolution` is uv's; `python` a version or a path; `extra` narrows the ranges, as in torch==2.13.0; `found`
    lists what is installed before the course comes, a file of constraints."""

    name: str
    resolution: str
    python: str
    extra: tuple[str, ...] = ()
    found: Path | None = None


class Ready(NamedTuple):
    name: str
    python: Path
    lock: str  # name==version, a line each


def uv() -> str:
    """The uv beside this Python, else the system's. SystemExit says how to get it."""
    found = shutil.which("uv", path=str(Path(sys.executable).parent)) or shutil.which("uv")
    return found or sys.exit("uv is needed: pip install -r requirements-uv.txt")


def call(*arguments: str, given: str | None = None) -> str:
    """uv's output. SystemExit shows what it complained of: no resolution, no such Python, no network."""
    done = subprocess.run([uv(), *arguments], input=given, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        sys.exit(f"uv {' '.join(arguments[:2])} failed\n{done.stderr.strip()}")
    return done.stdout


def ranges() -> list[str]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]


def resolved(requirements: Iterable[str], resolution: str, python: str, found: Path | None = None) -> str:
    """name==version, a line each, of these and all that they need.

    "lowest-direct" takes the oldest of what is named and the newest that goes with it of the rest: nobody promises that the oldest of
    everything, down to the last indirect package, works together, and no installer ever chooses it.
    """
    options = ("--python", python, "--no-header", "--no-annotate", "--quiet", *(("--constraint", str(found)) if found else ()))
    return call("pip", "compile", "-", "--resolution", resolution, *options, given="\n".join(requirements))


def lock(wanted: Wanted) -> str:
    """The course's dependencies under this resolution, and the newest kernel that goes with them."""
    course = resolved([*ranges(), *wanted.extra], wanted.resolution, wanted.python, wanted.found)
    return resolved([*course.split("\n"), "ipykernel"], "highest", wanted.python, wanted.found)


def course_digest() -> str:
    """Changes with any file that is packaged."""
    digest = hashlib.sha256()
    for top in (ROOT / name for name in PACKAGED):
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def wheel(folder: Path) -> Path:
    """The course as a wheel, built from a copy: setuptools leaves a build folder, in which deleted files live on."""
    with tempfile.TemporaryDirectory() as copied:
        for name in PACKAGED:
            path = ROOT / name
            if path.is_dir():
                shutil.copytree(path, Path(copied, name), ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(path, copied)
        call("build", "--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable, "--out-dir", str(folder), copied)
    (built,) = folder.glob("*.whl")
    return built


def python_of(home: Path) -> Path:
    return home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def make(wanted: Wanted, folder: Path) -> Ready:
    """The environment below `folder`, made or brought up to date."""
    home, chosen, course = folder / wanted.name, lock(wanted), course_digest()
    python, marker = python_of(home), home / "installed.json"
    before = json.loads(marker.read_text(encoding="utf-8")) if marker.exists() else {}
    marker.unlink(missing_ok=True)  # an interrupted installation is no installation
    if before.get("lock") != chosen:
        call("venv", "--quiet", "--clear", "--python", wanted.python, str(home))
        with tempfile.TemporaryDirectory() as listed:
            requirements = Path(listed, "requirements.txt")
            requirements.write_text(chosen, encoding="utf-8")
            call("pip", "install", "--quiet", "--python", str(python), "--no-deps", "-r", str(requirements))
    if before != {"lock": chosen, "course": course}:
        with tempfile.TemporaryDirectory() as built:
            call("pip", "install", "--quiet", "--python", str(python), "--no-deps", "--reinstall", str(wheel(Path(built))))
    marker.write_text(json.dumps({"lock": chosen, "course": course}), encoding="utf-8")
    return Ready(wanted.name, python, chosen)
