"""The controls to the central experiment: what the page says of the stored runs holds in every seed."""

from course_lib.results import load
from course_lib.text.corpora import clauses
from studies import bottleneck_controls as study
from studies import central_experiment as central

TABLE, LONG = load("bottleneck_controls"), "21 to 30"


def scores(control: str) -> list[dict]:
    return [row for row in TABLE["rows"] if row["control"] == control]


def test_more_sentences_are_the_same_clauses_joined_anew():
    few, many = (central.training_pairs(study.data(joined), study.LONGEST) for joined in (1, 11))
    long = [sum(len(pair.source) > 20 for pair in pairs) for pairs in (few, many)]
    assert set(few) < set(many) and 10 < long[1] / long[0] < 12
    assert scores("more")[0]["pairs"] == len(many) and scores("longer")[0]["pairs"] == len(few) == 12_963
    known = set(central.data().alone)
    assert all(clause in known for pair in many[::500] for clause in clauses(pair))
    assert not {pair.source for pair in many} & {pair.source for pair in central.data().corpus.test}


def test_the_rate_of_the_wide_model_is_the_better_of_two():
    last = {row["rate"]: row["losses"][-1] for row in TABLE["rates"]}
    assert study.CONTROLS["wider"].settings.rate == min(last, key=last.get)


def test_known_sentences_are_given_back_and_new_ones_are_not():
    before, searching = ({row["model"]: row for row in TABLE["base"]}[name] for name in ("RNNencdec", "RNNsearch"))
    assert before["trained"]["exact"] == 0 and searching["trained"]["exact"] > 0.9
    for row in scores("longer"):
        assert row["scores"][LONG]["exact"] < 0.01 and 0.4 < row["trained"]["exact"] < 0.7
    for row in scores("wider"):
        assert row["scores"][LONG]["exact"] < 0.01 and row["trained"]["exact"] > 0.9


def test_more_sentences_help_most_and_no_control_closes_the_gap():
    of = {
        name: [
            row["scores"][LONG]["bleu"]
            for row in [*load("central_experiment")["rows"], *TABLE["again"]]
            if (row["model"], row["longest"]) == (name, 30)
        ]
        for name in central.MODELS
    }
    assert {len(each) for each in of.values()} == {len(scores(control)) for control in study.CONTROLS} == {5}
    for control in study.CONTROLS:
        assert all(
            max(of["RNNencdec"]) < row["scores"][LONG]["bleu"] < min(of["RNNsearch"]) / 1.5 for row in scores(control)
        )
    longer, wider, more = (
        [row["scores"][LONG]["bleu"] for row in scores(control)] for control in ("longer", "wider", "more")
    )
    assert min(more) > 2 * max(longer) and max(longer) < min(wider) and max(wider) < min(more)
