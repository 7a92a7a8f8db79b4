"""The pages with code as notebooks that plain Jupyter, Colab and VS Code can read.

    python -m tools.book.launch OUT           write them all below OUT, at their own paths
    python -m tools.book.launch OUT --keep    leave those that a learner has changed since they were written   (make
                                            lab)

The published book carries them for download. The workflow writes them over a checkout (OUT is `.`) and pushes that as
the branch which Colab and Binder open: see `Repository.rendered`. There COURSE_REF names the commit, and the first
cells install course_lib from it: a page may be newer than the version's tag.
"""

import argparse
import hashlib
import json
import os
from pathlib import Path

import nbformat

from tools.book.crossrefs import Links, Places, linked, places
from tools.book.plain_markdown import Plain
from tools.notebooks import first_cell
from tools.repository import ROOT, Repository

RECORD = ".written.json"  # notebook → SHA-256 of what was written last
VIEW = "application/vnd.jupyter.widget-view+json"


def note(links: Links) -> str:
    """The first line of a rendered notebook: what it is, and where the page is that it was made from."""
    page = links.page.replace("labs/solutions/", "labs/")
    title = links.places.titles[page]
    where = links.to(page) if links.repository.known else ""
    solved = ", with solutions" if page != links.page else ""
    return (
        f"*This notebook is the page “{linked(title, where)}”{solved}, of the course “Attention, by hand”, "
        f"version {first_cell.version()}, written "
        "for Jupyter and Colab. Run its cells from the top: the first brings what the course needs. Widgets "
        "appear when their cells are run.*"
    )


def without_widgets(cell) -> None:
    """Drop a code cell's stored widgets: without their state they are an error message, with it they are most of the
    file."""
    cell.outputs = [output for output in cell.outputs if VIEW not in output.get("data", {})]
    cell.metadata.pop("execution", None)


def rendered(path: Path, repository: Repository, found: Places, at: str = ""):
    """The notebook stored at `path` in plain Markdown: cells and their order as they were, a note on top of them."""
    notebook = nbformat.read(path, as_version=4)
    page = path.relative_to(ROOT).with_suffix("").as_posix()
    links = Links(found, repository, page)
    plain = Plain(links, base=str(Path(page.replace("labs/solutions/", "labs/")).parent))
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source)
        elif cell.cell_type == "code":
            without_widgets(cell)
    notebook.cells = [cell for cell in notebook.cells if cell.source.strip() or cell.cell_type == "code"]
    notebook.metadata.pop("widgets", None)
    notebook.cells.insert(0, nbformat.v4.new_markdown_cell(note(links), id="course-note"))
    return first_cell.with_first_cell(notebook, repository, at)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write(out: Path, repository: Repository, keep: bool = False) -> list[Path]:
    """Write every rendered notebook below `out`; return them.

    With `keep`, a notebook that is there and is not as it was written is somebody's work: it stays, and is not among
    those returned.
    """
    found, written, at = places(), [], os.environ.get("COURSE_REF", "")
    made = {path.relative_to(ROOT): rendered(path, repository, found, at) for path in first_cell.stored()}
    record = out / RECORD
    before = json.loads(record.read_text(encoding="utf-8")) if keep and record.exists() else {}
    for path, notebook in made.items():
        target, text = out / path, nbformat.writes(notebook) + "\n"
        if keep and target.exists() and before.get(path.as_posix()) != digest(target.read_text(encoding="utf-8")):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        written.append(target)
        before[path.as_posix()] = digest(text)
    if keep:
        record.write_text(json.dumps(before, indent=0), encoding="utf-8")
    return written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--keep", action="store_true", help="leave what has been changed since it was written")
    options = parser.parse_args()
    written = write(options.out.resolve(), Repository.from_environment(), options.keep)
    kept = len(first_cell.stored()) - len(written)
    yours = f"; {kept} with changes of yours left as they are (delete one to have it new)" if kept else ""
    print(f"{len(written)} notebooks, {sum(path.stat().st_size for path in written) / 1e6:.1f} MB{yours}")


if __name__ == "__main__":
    main()
