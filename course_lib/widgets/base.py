"""What every widget of the course shares: its bundled front end, and a data channel by content key.

A published notebook stores a widget's state once for every instance. So there the state holds the *keys* of larger data
(a traced graph, trained weights), never the bytes:

- published page, no kernel: the notebook builder runs with COURSE_DATA_DIR set, each widget leaves one file a key
  there, the book serves them, and the front end asks for the file of its key;
- live kernel: the bytes come with the first state, in `data`. A message would come too late: a kernel answers only
  between cells, and under load anywidget gives a front end two seconds to begin, after which it hears no message any
  more.
"""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

import anywidget
import traitlets

from . import settings

DIST = Path(__file__).parent / "dist"
GRAPHS = Path(__file__).parent / "graphs"
DATA_DIR = "COURSE_DATA_DIR"


def content_key(data: bytes) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of `data`: equal bytes, equal key, on every machine."""
    return hashlib.sha256(data).hexdigest()[:16]


def made(path: Path, command: str) -> bytes:
    """A file that `command` makes; FileNotFoundError names the command where it is missing."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: make it with `{command}`")
    return path.read_bytes()


def bundle(name: str, kind: str) -> str:
    """The built front-end file dist/<name>.<kind>, kind "js", "css" or "worker.js"."""
    return made(DIST / f"{name}.{kind}", "make widgets").decode()


def graph(name: str) -> bytes:
    """The traced graph graphs/<name>.json."""
    return made(GRAPHS / f"{name}.json", "make graphs")


def packed(data: object) -> bytes:
    """Data as JSON text, as short as it can be."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


class CourseWidget(anywidget.AnyWidget):
    """An anywidget whose front end is the bundle dist/<room>.js and .css, and whose settings stand in the room's
    settings.json.

    A subclass hands its larger data to `__init__` as `blobs`: name → bytes. The front end finds a blob by its name:
    `loadData(model, "graph")`. Settings come in their order or by name; ValueError names the one that is wrong.

    `address` names this widget in the page's address, where a published page keeps the reader's settings
    (`?hand.temperature=0.5`). Two widgets with one name on a page are told apart by a number, in the order in which
    they start; give them different names if readers should be able to link to them. "" keeps nothing in the address.
    """

    bundle_name = ""
    _settings: Mapping[str, dict] = {}  # name → declaration, in order

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    address = traitlets.Unicode("").tag(sync=True)
    data_keys = traitlets.Dict().tag(sync=True)
    data = traitlets.Dict().tag(sync=True)

    # Read on first use and not when the class is made: without the bundles the package can still be imported.
    @traitlets.default("_esm")
    def _read_esm(self) -> str:
        return bundle(self.bundle_name, "js")

    @traitlets.default("_css")
    def _read_css(self) -> str:
        return bundle(self.bundle_name, "css")

    def __init_subclass__(cls, **more: object) -> None:
        super().__init_subclass__(**more)
        cls.bundle_name = cls.bundle_name or cls.__module__.rpartition(".")[2]
        if declared := settings.declared(cls):
            settings.given_to(cls, declared)
            cls._settings = declared

    def __init__(self, *values: object, blobs: Mapping[str, bytes] | None = None, **traits: object) -> None:
        if len(values) > len(self._settings):
            raise TypeError(f"{type(self).__name__} takes {len(self._settings)} settings, got {len(values)}")
        traits = dict(zip(self._settings, values, strict=False)) | traits
        if unknown := [name for name in traits if not self.has_trait(name)]:
            raise TypeError(
                f"{type(self).__name__} has no setting {unknown[0]!r}: it takes {', '.join(self._settings)}"
            )
        keys = {name: content_key(data) for name, data in (blobs or {}).items()}
        self._data = {keys[name]: data for name, data in (blobs or {}).items()}
        folder = os.environ.get(DATA_DIR)
        for key, data in self._data.items() if folder else ():
            _write_whole(Path(folder) / f"{key}.json", data)
        super().__init__(data_keys=keys, data={} if folder else self._data, **traits)

    def __repr__(self) -> str:
        """What stands in a notebook where the widget cannot: before its cell is run, or where widgets are not shown."""
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__).capitalize()
        return f"{words}: run this cell to bring it to life."


def _write_whole(path: Path, data: bytes) -> None:
    """Whole or not at all, so that several notebooks may be built at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file() and path.read_bytes() == data:
        return
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(scratch, 0o644)  # mkstemp makes it private; a web server must be able to read it
        os.replace(scratch, path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
