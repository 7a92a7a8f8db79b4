"""What every widget of the course shares: its bundled front end, and a data channel by content key.

A widget's state is stored in the notebook, once for every instance. So the state holds the *keys* of larger data (a
traced graph, trained weights), never the bytes. The bytes travel on one of two ways:

- published page, no kernel: the notebook builder runs with COURSE_DATA_DIR set, `put` leaves one file a key there, the book
  serves them, and the front end asks for the file of its key;
- live kernel: the front end sends `{"type": "data", "key": key}` and gets the same message back with the bytes.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import anywidget
import traitlets

from . import settings

DIST = Path(__file__).parent / "dist"
GRAPHS = Path(__file__).parent / "graphs"
DATA_DIR = "COURSE_DATA_DIR"
SUFFIXES = ("json", "bin")


class Checked(traitlets.Any):
    """A trait of any type, None too: the widget's own checks then raise ValueError in words, for a wrong type as well."""

    allow_none = False  # None goes to the checks like anything else


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
    """An anywidget whose front end is the bundle dist/<room>.js and .css, and whose settings stand in the room's settings.json.

    A subclass hands its larger data to `__init__` as `blobs`: name → bytes. The front end finds a blob by its name:
    `loadData(model, "graph")`. Settings come in their order or by name; ValueError names the one that is wrong.

    `address` names this widget in the page's address, where a published page keeps the reader's settings
    (`?hand.temperature=0.5`). Two widgets with one name on a page are told apart by a number, in the order in which they
    start; give them different names if readers should be able to link to them. "" keeps nothing in the address.
    """

    bundle_name = ""
    _settings: Mapping[str, dict] = {}  # name → declaration, in order

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    address = traitlets.Unicode("").tag(sync=True)
    data_keys = traitlets.Dict().tag(sync=True)

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
            raise TypeError(f"{type(self).__name__} has no setting {unknown[0]!r}: it takes {', '.join(self._settings)}")
        self._data: dict[str, bytes] = {}
        keys = {name: self.put(data) for name, data in (blobs or {}).items()}
        super().__init__(data_keys=keys, **traits)
        self.on_msg(self._answer)

    def put(self, data: bytes, *, suffix: str = "json") -> str:
        """Keep `data` for the front end and return its key; in COURSE_DATA_DIR, if set, also write <key>.<suffix>.

        suffix "json" is UTF-8 JSON text, "bin" anything else. A file is written whole or not at all, so that several
        notebooks may be built at once. ValueError where `data` is no bytes or the suffix is unknown.
        """
        if not isinstance(data, bytes):
            raise ValueError(f"data must be bytes, got {type(data).__name__}")
        if suffix not in SUFFIXES:
            raise ValueError(f"suffix must be one of {', '.join(SUFFIXES)}, got {suffix!r}")
        key = content_key(data)
        self._data[key] = data
        if folder := os.environ.get(DATA_DIR):
            _write_whole(Path(folder) / f"{key}.{suffix}", data)
        return key

    def _answer(self, _widget: object, content: object, _buffers: object) -> None:
        if not isinstance(content, dict) or content.get("type") != "data":
            return
        key = content.get("key")
        if key in self._data:
            self.send({"type": "data", "key": key}, [self._data[key]])
        else:
            self.send({"type": "data", "key": key, "error": f"this widget holds no data under the key {key!r}"})


def _write_whole(path: Path, data: bytes) -> None:
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
