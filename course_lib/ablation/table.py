"""The stored study beside the published table, row by row, with a verdict for each measure."""

from functools import cache
from typing import Any

from course_lib import checks, results
from course_lib.ablation.variants import VARIANTS, variant
from course_lib.ablation.verdict import holm, judge, welch
from course_lib.published.vaswani import variations

MEASURES = ("ppl", "bleu")
TESTED = {
    "ppl": "nats",
    "bleu": "bleu",
}  # perplexities by their logarithm: a bad run then weighs less, and log ppl is what training minimises


@cache
def stored(study: str = "ablation") -> dict[str, Any]:
    """A table that a study wrote: "ablation", or "ablation_rates", some variants at other rates."""
    return results.load(study)


def column(name: str, field: str, study: str = "ablation") -> list:
    """One field of the variant's runs, in the order of the seeds; empty where the study has none."""
    checks.one_of("name", name, tuple(VARIANTS))
    return [row[field] for row in stored(study)["rows"] if row["variant"] == name]


def at_peak(name: str, peak: float, field: str) -> list:
    """One field of the variant's runs with a rate whose peak is this share of the base's, by seed; empty where there
    are none."""
    if peak == variant(name).peak:
        return column(name, field)
    return [row[field] for row in stored("ablation_rates")["rows"] if (row["variant"], row["peak"]) == (name, peak)]


def side_by_side() -> list[dict[str, Any]]:
    """A dict a variant: group, variant; published {row, ppl, bleu, params} or None; ours {ppl, bleu: one a seed,
    params, flops, peak: see `Variant`}; difference, p (corrected) and verdict {ppl, bleu} against the base, None for
    the base itself. Differences of ppl are of log ppl.
    """
    compared = {
        measure: {
            name: welch(column(name, TESTED[measure]), column("base", TESTED[measure]))
            for name in VARIANTS
            if name != "base"
        }
        for measure in MEASURES
    }
    corrected = {measure: holm({name: each.p for name, each in compared[measure].items()}) for measure in MEASURES}
    return [_row(name, compared, corrected) for name in VARIANTS]


def _row(name: str, compared: dict, corrected: dict) -> dict[str, Any]:
    each, printed = VARIANTS[name], variations()
    row = None if each.published is None else printed[each.published]
    ours = {measure: column(name, measure) for measure in MEASURES}
    found = {
        "group": each.group,
        "variant": name,
        "published": None if row is None else {"row": row.row, "ppl": row.ppl, "bleu": row.bleu, "params": row.params},
        "ours": {**ours, "params": column(name, "parameters")[0], "flops": column(name, "flops")[0], "peak": each.peak},
        "difference": None, "p": None, "verdict": None,
    }  # fmt: skip
    if name != "base":
        there = {
            measure: None if row is None else getattr(row, measure) - getattr(printed["base"], measure)
            for measure in MEASURES
        }
        found["difference"] = {measure: round(compared[measure][name].difference, 4) for measure in MEASURES}
        found["p"] = {
            measure: float(f"{corrected[measure][name]:.6g}") for measure in MEASURES
        }  # later digits differ by processor
        found["verdict"] = {
            measure: judge(compared[measure][name].difference, corrected[measure][name], there[measure])
            for measure in MEASURES
        }
    return found
