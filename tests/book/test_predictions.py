"""Every prediction of the book finds its truth in what the cells below it have put out, as stored and as nbval keeps
it."""

import json
from functools import cache

from tests.widgets.test_exercises import in_page
from tools.notebooks import make as notebooks
from tools.repository import ROOT

STATE, VIEW, FIGURE = notebooks.STATE, notebooks.VIEW, notebooks.FIGURE


@cache
def predictions() -> list[tuple[str, dict, dict]]:
    """(page, spec, evidence) of each, read as the card reads them."""
    found = []
    for path in sorted(path for source in notebooks.sources() for path in notebooks.targets(source)):
        notebook = json.loads(path.read_text())
        state, last = notebook["metadata"].get("widgets", {}).get(STATE, {}).get("state", {}), None
        for cell in notebook["cells"]:
            tags = cell["metadata"].get("tags", [])
            outputs = cell.get("outputs", [])
            if "predict" in tags:
                (model,) = [output["data"][VIEW]["model_id"] for output in outputs if VIEW in output.get("data", {})]
                last = {"text": "", "lines": []}
                found.append((path.relative_to(ROOT).as_posix(), state[model]["state"]["spec"], last))
            if "evidence" in tags:
                assert last is not None, f"{path.name}: evidence before any prediction"
                last["text"] += "".join("".join(output.get("text", [])) for output in outputs)
                last["lines"] += [
                    line for output in outputs for line in output.get("data", {}).get(FIGURE, {}).get("data", [])
                ]
    return found


def guesses(spec: dict) -> list:
    """Some committed answers, one of them each idea of a choice."""
    if spec["kind"] == "choose":
        return [option["text"] for option in spec["options"]]
    return [
        {
            "number": "1",
            "order": [text for text, _ in spec.get("things", [])],
            "curve": [spec.get("low")] * len(spec.get("x", [])),
        }[spec["kind"]]
    ]


def test_there_are_predictions_and_their_ids_are_used_once():
    ids = [spec["id"] for page, spec, _ in predictions() if "solutions" not in page]
    assert len(ids) >= 4 and len(ids) == len(set(ids))


def test_each_is_judged_by_what_its_evidence_holds():
    asked = [(page, spec, answer, evidence) for page, spec, evidence in predictions() for answer in guesses(spec)]
    told = in_page("predicted", [[spec, answer, evidence] for _, spec, answer, evidence in asked])
    blind = [
        (page, spec["id"]) for (page, spec, _, _), verdict in zip(asked, told, strict=True) if verdict["truth"] is None
    ]
    assert blind == [], "the pattern finds nothing in the evidence, or none of the ideas holds"
    for page, spec, _ in predictions():
        if spec["kind"] == "choose":
            assert (
                sum(
                    verdict["right"]
                    for (name, one, _, _), verdict in zip(asked, told, strict=True)
                    if (name, one["id"]) == (page, spec["id"])
                )
                == 1
            )
        elif spec["kind"] == "number":
            truth = next(
                verdict["truth"] for (_, one, _, _), verdict in zip(asked, told, strict=True) if one["id"] == spec["id"]
            )
            value = float(truth.split()[0].replace("−", "-"))
            assert all(abs(wrong - value) > spec["within"] for wrong, _ in spec["mistakes"]), (
                f"{spec['id']}: a likely mistake is right"
            )
