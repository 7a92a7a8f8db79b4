"""Safetensors files, read and written: eight bytes that say how long the JSON header is, the header, and the numbers
one after another."""

import json
import struct
import types
from pathlib import Path
from typing import Any

import numpy as np

from .tensor import Tensor

CODES = {
    "F16": "float16",
    "F32": "float32",
    "F64": "float64",
    "I32": "int32",
    "I64": "int64",
    "U8": "uint8",
    "BOOL": "bool",
}


class SafetensorError(Exception):
    """The file is no safetensors file."""


class safe_open:  # the name that the package gives it
    """A file's tensors by name; `with` as in the package."""

    def __init__(self, path: Any, framework: str) -> None:
        try:
            data = Path(path).read_bytes()
            (length,) = struct.unpack("<Q", data[:8])
            self._header = json.loads(data[8 : 8 + length])
            self._about, self._numbers = self._header.pop("__metadata__", None), data[8 + length :]
        except (struct.error, ValueError, AttributeError) as error:
            raise SafetensorError(f"{path}: {error}") from None

    def __enter__(self) -> "safe_open":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def metadata(self) -> dict[str, str] | None:
        return self._about

    def keys(self) -> list[str]:
        return sorted(self._header)

    def get_tensor(self, name: str) -> Tensor:
        entry = self._header[name]
        begin, end = entry["data_offsets"]
        return Tensor(np.frombuffer(self._numbers[begin:end], CODES[entry["dtype"]]).reshape(entry["shape"]).copy())


def save(tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> bytes:
    header: dict[str, Any] = {} if metadata is None else {"__metadata__": metadata}
    kinds, parts, place = {name: code for code, name in CODES.items()}, [], 0
    for name, tensor in tensors.items():
        data = np.ascontiguousarray(tensor.array).tobytes()
        header[name] = {
            "dtype": kinds[tensor.array.dtype.name],
            "shape": list(tensor.array.shape),
            "data_offsets": [place, place + len(data)],
        }
        parts.append(data)
        place += len(data)
    words = json.dumps(header).encode()
    words += b" " * (-len(words) % 8)
    return struct.pack("<Q", len(words)) + words + b"".join(parts)


_package, _torch = types.ModuleType("safetensors"), types.ModuleType("safetensors.torch")
vars(_package).update(SafetensorError=SafetensorError, safe_open=safe_open, torch=_torch, __path__=[])
_torch.save = save
MODULES = {"safetensors": _package, "safetensors.torch": _torch}
