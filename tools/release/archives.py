"""The course's source and its package, out of a commit: the same bytes whenever, wherever and by whomever they are made.

What lies about in a checkout is in neither. Deflated by Python's zlib: another zlib may pack the same files into other bytes.
"""

import gzip
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tools.repository import ROOT


def git(*arguments: str, root: Path = ROOT) -> bytes:
    """What git says. RuntimeError has its complaint: no repository, no such commit."""
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"git {arguments[0]} failed: {done.stderr.decode().strip()}")
    return done.stdout


def moment(commit: str = "HEAD", root: Path = ROOT) -> int:
    """When the commit was made, in seconds since 1970: the date of everything in a release."""
    return int(git("log", "-1", "--format=%ct", commit, root=root))


def tree(top: str = "", commit: str = "HEAD", root: Path = ROOT) -> bytes:
    """The commit's files as a tar, below the folder `top`; modes are ours, whatever the user's settings are."""
    return git("-c", "tar.umask=0022", "archive", "--format=tar", *([f"--prefix={top}/"] if top else []), commit, root=root)


def source(target: Path, top: str, commit: str = "HEAD", root: Path = ROOT) -> None:
    """Write the commit's files, below the folder `top`, as a .tar.gz."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as file:
        file.write(tree(top, commit, root))
    target.write_bytes(packed.getvalue())


def wheel(folder: Path, commit: str = "HEAD") -> Path:
    """Build the package as a wheel in `folder`, without a network: setuptools is the environment's own. RuntimeError shows what it said."""
    code = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
    with tempfile.TemporaryDirectory() as copied:
        with tarfile.open(fileobj=io.BytesIO(tree(commit=commit))) as files:
            files.extractall(copied, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # Debian 12 has Python 3.11.2
        environment = os.environ | {"SOURCE_DATE_EPOCH": str(moment(commit))}
        done = subprocess.run(
            [sys.executable, "-c", code, str(folder.resolve())], cwd=copied, env=environment, umask=0o022, capture_output=True, text=True
        )
    if done.returncode:
        raise RuntimeError(f"the wheel could not be built:\n{done.stderr}")
    return folder / done.stdout.split()[-1]
