"""What Zenodo is told about a release: .zenodo.json, made from CITATION.cff. `python -m tools.release.citation`

Zenodo reads .zenodo.json and then nothing else; without it, it reads CITATION.cff and refuses a list of licences. So the facts stand in
CITATION.cff, which GitHub and reference managers read, and this file follows from it.
"""

import json
from pathlib import Path

import yaml

from tools.repository import ROOT, Repository

CITATION, ZENODO = ROOT / "CITATION.cff", ROOT / ".zenodo.json"


def citation(path: Path = CITATION) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def authors(cited: dict) -> str:
    """Their names as a reader writes them, given name first."""
    return ", ".join(author.get("name") or f"{author['given-names']} {author['family-names']}" for author in cited["authors"])


def creator(author: dict) -> dict:
    """A person's name as Zenodo wants it, family name first, or an entity's; with an ORCID and an affiliation where they are known."""
    name = author.get("name") or f"{author['family-names']}, {author['given-names']}"
    more = {"orcid": author.get("orcid", "").removeprefix("https://orcid.org/"), "affiliation": author.get("affiliation", "")}
    return {"name": name} | {key: value for key, value in more.items() if value}


def zenodo(cited: dict, repository: Repository) -> dict:
    """Zenodo's fields out of a citation's. ValueError where its licence is not one."""
    if not isinstance(cited["license"], str):
        raise ValueError(f"license in CITATION.cff must be one SPDX name, since Zenodo takes one, got {cited['license']!r}")
    found = {
        "title": cited["title"],
        "upload_type": cited["type"],
        "description": f"<p>{' '.join(cited['abstract'].split())}</p>",
        "creators": [creator(author) for author in cited["authors"]],
        "version": cited["version"],
        "license": cited["license"],
        "keywords": cited["keywords"],
        "access_right": "open",
        "language": "eng",
    }
    if repository.known:
        found["related_identifiers"] = [{"identifier": f"{repository.address}/tree/v{cited['version']}", "relation": "isSupplementTo"}]
    return found


def written() -> str:
    """The text of .zenodo.json."""
    return json.dumps(zenodo(citation(), Repository.from_pyproject()), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    ZENODO.write_text(written(), encoding="utf-8")
