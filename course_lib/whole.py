"""Files that are written whole or not at all: a reader never finds half of one, and after an interruption the old one
is there."""

import os
from contextlib import suppress
from pathlib import Path


def write(path: Path, data: bytes | str) -> None:
    """Write the file by way of one beside it; a text in UTF-8. OSError names the file itself, and leaves the old
    one."""
    beside = path.with_name(path.name + ".part")
    try:
        with beside.open("wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror or str(problem), str(path)) from None
    finally:
        with suppress(OSError):  # what is wrong with its folder has been said already
            beside.unlink(missing_ok=True)
