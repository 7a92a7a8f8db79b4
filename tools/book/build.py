"""Build the book into _build/html with warnings as errors. `python -m tools.book.build [OUTPUT] [--cold]`"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build(output: Path = ROOT, cold: bool = False) -> Path:
    """Build below `output`/_build and return the folder of the pages. Raises CalledProcessError on any warning."""
    if cold:
        shutil.rmtree(output / "_build", ignore_errors=True)
    entry = "import sys; from jupyter_book.cli.main import main; sys.exit(main())"  # it has no __main__
    command = [sys.executable, "-c", entry, "build", str(ROOT), "--path-output", str(output)]
    subprocess.run([*command, "-W", "-n", "--keep-going", "-q"], check=True)
    return output / "_build" / "html"


if __name__ == "__main__":
    arguments = [each for each in sys.argv[1:] if not each.startswith("-")]
    try:
        build(Path(arguments[0]) if arguments else ROOT, "--cold" in sys.argv)
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)
