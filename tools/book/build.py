"""Build the book into _build/html with warnings as errors. `python -m tools.book.build [OUTPUT]`"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build(output: Path = ROOT) -> Path:
    """Build below `output`/_build and return the folder of the pages. Raises CalledProcessError on any warning."""
    entry = "import sys; from jupyter_book.cli.main import main; sys.exit(main())"  # it has no __main__
    command = [sys.executable, "-c", entry, "build", str(ROOT), "--path-output", str(output)]
    try:
        subprocess.run([*command, "-W", "-n", "--keep-going", "-q"], check=True)
    except subprocess.CalledProcessError:
        shutil.rmtree(
            output / "_build" / ".doctrees", ignore_errors=True
        )  # else the next build leaves the page alone, and is silent
        raise
    return output / "_build" / "html"


if __name__ == "__main__":
    try:
        build(*map(Path, sys.argv[1:]))
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)
