"""Every lab, blank and solved, as a learner will meet it: with the newest packages, the oldest, Colab's, and without a
network.

    nox -f tools/environments/noxfile.py                                          all labs in all four     (make
                                            test-all)
    nox -f tools/environments/noxfile.py -s oldest -- labs/universality.ipynb   some

uv resolves and installs, from the index and with the torch that its own settings name (UV_TORCH_BACKEND=cpu has no
CUDA); what the course needs is in pyproject.toml, and the course itself is installed as a wheel. A lab passes as
tools/environments/lab_run.py says.
"""

import sys
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parents[2]
nox.options.envdir = str(ROOT / "_build" / "nox")
nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"


def labs(session: nox.Session, *how: str, constraints: tuple[str, ...] = (), within: tuple[str, ...] = ()) -> None:
    """`how` resolves what pyproject.toml names; what that needs in turn, and the kernel, are as new as goes with it.
    `within` is for lab_run."""
    session.chdir(ROOT)
    session.install("-r", "pyproject.toml", *how, *constraints)
    session.install("ipykernel", *constraints)
    wheels = Path(session.create_tmp()).resolve()
    session.run(
        "uv", "build", "--quiet", "--clear", "--out-dir", str(wheels), external=True
    )  # through an archive: no build folder is left
    session.install("--no-deps", *map(str, wheels.glob("*.whl")))
    session.run("uv", "pip", "list", external=True)
    python = Path(session.bin) / "python"
    session.run(
        sys.executable,
        "-m",
        "tools.environments.lab_run",
        "--python",
        str(python),
        *within,
        *session.posargs,
        external=True,
    )


@nox.session
def newest(session: nox.Session) -> None:
    """Everything as new as pyproject.toml allows, on the Python that runs nox."""
    labs(session)


@nox.session(python="3.11")
def oldest(session: nox.Session) -> None:
    """What pyproject.toml names as old as it allows: nobody promises that the oldest of everything, down to the last
    package, works together."""
    labs(session, "--resolution", "lowest-direct")


@nox.session(python="3.13")
def colab(session: nox.Session) -> None:
    """What Colab has installed, on its Python. torch is ours: Colab's own comes from no index."""
    labs(session, "torch==2.13.0", constraints=("-c", "tools/environments/colab.txt"))


@nox.session
def offline(session: nox.Session) -> None:
    """The newest, and no network once they are installed (Linux)."""
    labs(session, within=("--offline",))
