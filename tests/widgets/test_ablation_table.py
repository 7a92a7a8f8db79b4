"""AblationTable: its JavaScript compares, filters, sorts and counts as NumPy does, and the widget refuses what is no study."""

import copy
import json
import re

import numpy as np
import pytest

from course_lib.widgets import AblationTable, ablation_table, settings
from tests.shared.graph_node import node
from tests.shared.refusals import refused

# Some rows of Vaswani et al., Table 3 (perplexity, BLEU, millions of parameters), and two without published numbers.
PRINTED = [
    ("base", "base", 4.92, 25.8, 65), ("A", "h = 1", 5.29, 24.9, None), ("A", "h = 4", 5.00, 25.5, None), ("A", "h = 16", 4.91, 25.8, None),
    ("A", "h = 32", 5.01, 25.4, None), ("B", "d_k = 16", 5.16, 25.1, 58), ("B", "d_k = 32", 5.01, 25.4, 60), ("C", "2 layers", 6.11, 23.7, 36),
    ("C", "8 layers", 4.88, 25.5, 80), ("C", "d = 256", 5.75, 24.5, 28), ("C", "d_ff = 4096", 4.75, 26.2, 90), ("D", "dropout 0", 5.77, 24.6, None),
    ("D", "no smoothing", 4.67, 25.3, None), ("E", "learned positions", 4.92, 25.7, None), ("E", "no positions", None, None, None),
]  # fmt: skip


def study():
    """Rows with drawn numbers of ours, and verdicts by a rule of this file's own; the last row is in no paper."""
    generator, made = np.random.default_rng(0), []
    for i, (group, variant, ppl, bleu, millions) in enumerate(PRINTED):
        shift = 0 if i == 0 else generator.normal(scale=0.15)
        ours = {"ppl": (30 * np.exp(shift + 0.03 * generator.normal(size=5))).tolist(), "bleu": (20 - 15 * shift + generator.normal(size=5)).tolist()}
        row = {"group": group, "variant": variant, "published": {"row": variant, "ppl": ppl, "bleu": bleu, "params": millions}, "ours": {**ours, "params": 400_000 + 1000 * i, "flops": 1}}
        row |= {"difference": None, "p": None, "verdict": None}
        if i:
            row["p"] = {key: float(round(generator.uniform() ** 4, 4)) for key in ("ppl", "bleu")}
            row["verdict"] = {key: verdict(shift if key == "ppl" else -15 * shift, value, base, small) for key, value, base, small in (("ppl", ppl, 4.92, 0.05), ("bleu", bleu, 25.8, 1.0))}
        made.append(row | ({} if ppl else {"published": None}))
    return made


def verdict(ours, value, base, small):
    if abs(ours) < small:
        return "within noise"
    if value is None:
        return "not published"
    return "published as equal" if value == base else "same direction" if ours * (value - base) > 0 else "opposite"


def blob(widget):
    return json.loads(widget._data[widget.data_keys["ablation"]])


NAMES = list(ablation_table.VERDICTS.values())
STATE = {"group": "all", "measure": "ppl", "verdict": "all", "sort": "printed"}
STATES = [
    {**STATE, **change}
    for change in (
        {}, {"sort": "-printed"}, {"group": "A"}, {"group": "C", "measure": "bleu", "sort": "-published"}, {"verdict": "same", "sort": "change"},
        {"verdict": "opposite"}, {"verdict": "noise", "measure": "bleu"}, {"verdict": "unpublished"}, {"verdict": "equal"}, {"sort": "-p"}, {"sort": "row", "measure": "bleu"}, {"sort": "-our_change"}, {"sort": "spread"}, {"sort": "-verdict"}, {"sort": "params"},
        {"sort": "-params"}, {"sort": "variant"}, {"sort": "-group"}, {"measure": "bleu", "sort": "ours"}, {"sort": "-our_params"}, {"group": "E", "verdict": "opposite"},
    )
]  # fmt: skip


@pytest.fixture(scope="module")
def page():
    data = blob(AblationTable(study()))
    looks = [["look", data, state] for state in STATES]
    answers = node("ablation_table.mjs", [*looks, ["facts", data, "ppl"], ["facts", data, "bleu"], ["constants"], ["told", data, 0, "ppl"], ["told", data, 13, "bleu"]])
    return {"data": data, "looks": answers[: len(looks)], "ppl": answers[-5], "bleu": answers[-4], "constants": answers[-3], "told": answers[-2:]}


def values(row, base, measure):
    """What the columns hold, by NumPy; None where nothing was published."""
    mean = (lambda x: np.exp(np.mean(np.log(x)))) if measure == "ppl" else np.mean
    seeds, own, printed = np.array(row["ours"][measure]), mean(base["ours"][measure]), row["published"][measure]
    change = (lambda x, x0: 100 * (x / x0 - 1)) if measure == "ppl" else (lambda x, x0: x - x0)
    return {
        "group": row["group"], "variant": row["variant"], "published": printed, "change": None if printed is None else change(printed, base["published"][measure]),
        "ours": mean(seeds), "our_change": change(mean(seeds), own), "spread": np.ptp(change(seeds, own)), "params": row["published"]["params"], "p": row["p"][measure], "row": row["published"]["row"],
        "our_params": row["ours"]["params"], "peak": row["ours"].get("peak"), "verdict": row["verdict"][measure],
    }  # fmt: skip


@pytest.mark.parametrize("measure", ["ppl", "bleu"])
def test_changes_are_from_the_base(page, measure):
    base, rows = page["data"]["base"], page["data"]["rows"]
    for row, fact in zip(rows, page[measure], strict=True):
        for name, want in values(row, base, measure).items():
            assert fact[name] == (pytest.approx(want, abs=1e-9) if isinstance(want, float) else want), name
    changes = [fact["change"] for fact in page["ppl"]]
    assert changes[0] == pytest.approx(100 * (5.29 / 4.92 - 1)) and changes[-1] is None
    assert page["bleu"][6]["change"] == pytest.approx(23.7 - 25.8)


@pytest.mark.parametrize("i", range(len(STATES)))
def test_rows_are_filtered_and_sorted_as_numpy_does(page, i):
    base, rows, state = page["data"]["base"], page["data"]["rows"], STATES[i]
    all_values = [values(row, base, state["measure"]) for row in rows]
    kept = [k for k, row in enumerate(rows) if state["group"] in ("all", row["group"]) and state["verdict"] in ("all", all_values[k]["verdict"])]
    name, down = state["sort"].removeprefix("-"), state["sort"].startswith("-")
    if name == "printed":
        wanted = kept[::-1] if down else kept
    else:
        key = {k: (NAMES.index(all_values[k]["verdict"]) if name == "verdict" else all_values[k][name]) for k in kept}
        known = sorted((k for k in kept if key[k] is not None), key=lambda k: key[k], reverse=down)  # equal ones keep the printed order both ways
        wanted = [*known, *(k for k in kept if key[k] is None)]
    assert page["looks"][i]["indices"] == wanted
    verdicts = [all_values[k]["verdict"] for k in wanted]
    assert page["looks"][i]["tally"] == {name: verdicts.count(name) for name in NAMES} and len(verdicts) == sum(page["looks"][i]["tally"].values())


SAID = {  # of one, of many
    "same": ("goes in the published direction", "go in the published direction"), "opposite": ("goes the opposite way", "go the opposite way"),
    "noise": ("is within our noise", "are within our noise"), "equal": ("differs where the paper prints no difference", "differ where the paper prints no difference"),
    "unpublished": ("differs and is not in the paper", "differ and are not in the paper"),
}  # fmt: skip


def test_the_words_count(page):
    for look, state in zip(page["looks"], STATES, strict=True):
        asked = [row["verdict"][state["measure"]] for row in page["data"]["rows"] if state["group"] in ("all", row["group"])]
        clause = {name: f"{asked.count(name) or 'none'} {SAID[name][asked.count(name) > 1]}" for name in NAMES}
        group = "" if state["group"] == "all" else f" of group {state['group']}"
        start = f"By {'perplexity' if state['measure'] == 'ppl' else 'BLEU'}, of {len(asked)} variant{'s' * (len(asked) != 1)}{group}, "
        if state["verdict"] == "all":
            *first, last = [clause[name] for name in NAMES if name in NAMES[:3] or name in asked]
            assert look["words"] == f"{start}{', '.join(first)} and {last}."
        else:
            assert look["words"] == f"{start}{clause[state['verdict']]}."


def test_a_picture_is_told(page):
    first, last = page["told"]
    seeds = page["ppl"][0]["seeds"]
    own = np.array(page["data"]["base"]["ours"]["ppl"])
    base = 100 * (own / np.exp(np.log(own).mean()) - 1)

    def sign(x):
        return f"{x:+.1f} %".replace("-", "−")

    assert first == f"our 5 seeds from {sign(min(seeds))} to {sign(max(seeds))}; the base’s own from {sign(min(base))} to {sign(max(base))}; published {sign(100 * (5.29 / 4.92 - 1))}"
    assert last.endswith("published nothing")


def test_the_scale_is_one_of_roots_through_zero():
    values = [-4.0, 0.0, 1.0, 4.0, 16.0, 64.0]
    up, flat, down, signs = node("ablation_table.mjs", [["scale", values], ["scale", [0.0]], ["scale", [-25.0, -1.0]], ["scale", [-0.3, 0.2]]])
    assert up["at"] == pytest.approx([0, 0.2, 0.3, 0.4, 0.6, 1]) and (up["low"], up["high"]) == (-4, 64)
    assert up["ticks"] == [0, 10, 50]
    assert flat["zero"] == 0 and flat["ticks"] == [0]
    assert down["zero"] == 1 and down["at"] == pytest.approx([0, 0.8])
    assert signs["ticks"] == [0]
    for made in (up, down):
        assert made["ticks"] == sorted(made["ticks"]) and all(made["low"] <= x <= made["high"] for x in made["ticks"])


def test_numbers_are_written_with_sign_and_unit():
    asked = [["signed", 7.52, "ppl"], ["signed", -0.04, "bleu"], ["signed", 0.04, "bleu"], ["signed", -1.26, "bleu"], ["signed", None, "ppl"], ["size", 65_000_000], ["size", 1_250_000], ["size", 412_345], ["size", 12], ["size", None], ["chance", 0.0004], ["chance", 0.0416], ["chance", 1], ["chance", None]]  # fmt: skip
    assert node("ablation_table.mjs", asked) == ["+7.5 %", "0.0", "0.0", "−1.3", "–", "65 M", "1.3 M", "412 k", "12", "–", "< 0.001", "0.042", "1", "–"]


def test_page_and_python_know_the_same_words(page):
    declared = settings.declared(AblationTable)
    assert page["constants"] == [declared[name]["takes"] for name in ("measure", "verdict", "sort")]
    assert page["constants"][:2] == [list(ablation_table.MEASURES), ["all", *NAMES]]
    asked = [("group", "A"), ("group", "F"), ("group", "all"), ("measure", "bleu"), ("measure", "loss"), ("verdict", "noise"), ("verdict", ""), ("sort", "-change"), ("sort", "--change"), ("sort", "x")]  # fmt: skip
    got = node("ablation_table.mjs", [["linked", page["data"], *each] for each in asked])
    assert got == ["A", None, "all", "bleu", None, "noise", None, "-change", None, None]


# ---- Python's side
def test_the_state_holds_a_key_and_the_blob_the_rows():
    widget = AblationTable(study(), group="C", measure="bleu", verdict="same", sort="-change")
    assert (widget.group, widget.measure, widget.verdict, widget.sort, widget.result) == ("C", "bleu", "same", "-change", {})
    data = blob(widget)
    assert data["base"]["variant"] == "base" and [row["variant"] for row in data["rows"]] == [each[1] for each in PRINTED[1:]]
    assert data["rows"][0]["ours"]["ppl"] == [round(x, 4) for x in study()[1]["ours"]["ppl"]]


@pytest.mark.parametrize("value", ["F", None, "base"])
def test_a_group_that_is_none_is_refused_by_name(value):
    refused(lambda **more: AblationTable(study(), **more), "group", value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("group",), ""), (("variant",), 3), (("published",), 5), (("ours",), None), (("published", "row"), 3), (("p", "bleu"), 1.5), (("published", "ppl"), 0),
        (("published", "bleu"), 101), (("published", "params"), "65M"), (("ours", "ppl"), []), (("ours", "bleu"), [20.0, float("nan")]), (("ours", "ppl"), 5.0),
        (("verdict", "ppl"), "same"), (("verdict", "ppl"), "better"),
    ],
)  # fmt: skip
def test_a_row_that_is_none_is_refused_by_name(path, value):
    rows = copy.deepcopy(study())
    place = rows[1]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    name = "rows[1]" + "".join(f"[{key!r}]" for key in path)
    with pytest.raises(ValueError, match=f"^{re.escape(name)} must"):
        AblationTable(rows)


@pytest.mark.parametrize("rows", [[], study()[:1], study()[1:]])
def test_a_study_needs_its_base_and_a_variant(rows):
    with pytest.raises(ValueError, match=r'^rows must hold one of group "base"'):
        AblationTable(rows)
