"""The shipped models: they load, they do what their files say, they translate, and they are small."""

import json
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from course_lib import shipped
from course_lib.decoding import greedy
from course_lib.text.batches import pad
from course_lib.text.corpora import english_french, towns
from course_lib.text.vocabulary import END, START, Vocabulary
from course_lib.transformer.models import LanguageModel, Translator
from tests.shared.seeded import seeded
from tools.models import train_towns, train_translator


@pytest.fixture(scope="module")
def french():
    return shipped.translator()


@pytest.fixture(scope="module")
def names():
    return shipped.town_model()


# ---- the files
def test_the_files_are_small_and_say_where_they_come_from():
    sizes = {file.stem: file.stat().st_size for file in shipped.FOLDER.glob("*.safetensors")}
    assert set(sizes) == {"english_french", "towns", "rnnencdec", "rnnsearch", "numbers"}
    assert sizes["english_french"] + sizes["towns"] <= 1.5e6
    assert sizes["rnnencdec"] + sizes["rnnsearch"] <= 2e6 and sizes["numbers"] < 2e5
    for info, command in (
        (shipped.translator().info, train_translator.RECIPE.command),
        (shipped.town_model().info, train_towns.RECIPE.command),
        (shipped.numbers().info, "python -m tools.models.train_numbers"),
        (shipped.rnnencdec().info, "python studies/central_experiment.py"),
        (shipped.rnnsearch().info, "python studies/central_experiment.py"),
    ):
        assert Path(info["command"]).name == Path(command).name  # files were written where the commands lay then
        assert info["corpus"]["credit"] and info["corpus"]["licence"]
        assert info["losses"][-1][0] == info["steps"]
        assert info["losses"][-1][1] < 0.6 * info["losses"][0][1]


def test_weights_are_float32_in_eval_mode_and_read_once(french, names):
    for model in (french.model, names.model):
        assert not model.training
        assert all(parameter.dtype == torch.float32 for parameter in model.parameters())
    assert shipped.translator() is french and shipped.town_model() is names


def test_weights_are_float32_in_a_lab_in_double_precision():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        model, _, _ = shipped.load_model(shipped.FOLDER / "towns.safetensors", LanguageModel, ("characters",))
    finally:
        torch.set_default_dtype(before)
    assert {tensor.dtype for tensor in model.state_dict().values() if tensor.is_floating_point()} == {torch.float32}


# ---- the translator
SENTENCES = {
    "my old happy doctor will follow the tired farmer in the forest .": (
        "mon vieux médecin heureux suivra le fermier fatigué dans la forêt ."
    ),
    "i drew the knife in the big churches .": "j' ai dessiné le couteau dans les grandes églises .",
    "the doctor danced in the stations but the sad baker will hear young tired men in the yellow castle .": (
        "le médecin a dansé dans les gares mais le boulanger triste entendra de jeunes hommes fatigués dans le "
        "château jaune ."
    ),
}


@pytest.mark.parametrize(("english", "expected"), SENTENCES.items())
def test_held_out_sentences_are_translated_to_the_letter(french, english, expected):
    assert english not in {" ".join(pair.source) for pair in train_translator.training_pairs()}
    source, lengths = pad([french.source.encode(english.split())])
    state = french.model.start(source, lengths)
    found = greedy(french.model.step, state, start=START, end=END, longest=40)
    assert " ".join(french.target.decode(found.tokens[0])) == expected
    assert found.finished.all()


def test_the_translators_stored_scores_are_measured_again(french):
    model, source, target, info = french
    group = train_translator.groups(list(english_french().test))[1]
    answers = train_translator.answers_of(model, source, target, group)
    found = train_translator.compared(answers, group, target.tokens[END])
    stored = info["scores"]["by clauses"]["1"]
    assert found["sentences"] == stored["sentences"] == len(group)
    for key in ("exact", "ended", "of the right length"):  # one sentence of 200 may turn on another machine
        assert found[key] == pytest.approx(stored[key], abs=0.0051), key
    assert stored["exact"] >= 0.85
    found = train_translator.token_by_token(model, source, target, group)
    assert found == pytest.approx(info["scores"]["one clause, token by token"], abs=1e-3)


def test_beam_search_on_a_sample_is_as_stored(french):
    model, source, target, info = french
    group = train_translator.groups(list(english_french().test))[2][:12]
    for way, width in (("greedy", 1), ("beam 4", 4)):
        answers = train_translator.answers_of(model, source, target, group, width=width)
        which = train_translator.compared(answers, group, target.tokens[END])["which"]
        stored = info["scores"]["greedy and beam, by clauses"]["2"][way]
        assert stored["which"].count("1") == round(stored["exact"] * stored["sentences"])
        # another machine may round one sentence over the edge
        assert sum(a != b for a, b in zip(which, stored["which"], strict=False)) <= 1, way


# ---- the towns
def test_the_towns_stored_scores_are_measured_again(names):
    known, held_out = train_towns.parts()
    assert len(known) + len(held_out) == len(towns()) and not {*known} & {*held_out}
    stored = names.info["scores"]["nats a character"]
    assert train_towns.nats(names.model, names.vocabulary, held_out) == pytest.approx(
        stored["held-out names"], abs=2e-3
    )
    assert stored["held-out names"] < 2.1


def test_drawn_towns_are_names_and_mostly_new(names):
    drawn = train_towns.invent(names.model, names.vocabulary, 200, seeded(5))
    stored = names.info["scores"]["temperature 1.0"]["not in the list"]
    new = sum(name not in {*towns()} for name in drawn) / 200
    assert new == pytest.approx(stored, abs=0.1)
    assert all(name and name[0].isupper() and len(name) < train_towns.LONGEST for name in drawn)


# ---- files that do not fit
def a_file(path, **changes):
    words = Vocabulary(list("abc"))
    model = LanguageModel(len(words), 1, 4, 2, 2, 8)
    info = {
        "config": {"layers": 1, "d": 4, "m": 2, "h": 2, "r": 8},
        "corpus": {},
        "command": "",
        "steps": 1,
        "losses": [],
        "scores": {},
    }
    shipped.write_model(path, model, {"characters": words}, info | changes)
    return model


def test_what_is_written_is_read_back_as_float16_keeps_it(tmp_path):
    model = a_file(tmp_path / "small.safetensors")
    again, (words,), info = shipped.load_model(tmp_path / "small.safetensors", LanguageModel, ("characters",))
    assert words.tokens[4:] == ("a", "b", "c") and info["steps"] == 1
    for (name, ours), theirs in zip(again.named_parameters(), model.parameters(), strict=True):
        assert torch.equal(ours, theirs.half().float()), name


def test_a_tied_embedding_is_stored_once(tmp_path):
    a_file(tmp_path / "small.safetensors")
    with safe_open(tmp_path / "small.safetensors", "pt") as file:
        assert sum(file.get_slice(name).get_shape() == [7, 4] for name in file.keys()) == 1  # noqa: SIM118


def test_files_that_do_not_fit_are_named(tmp_path):
    path = tmp_path / "small.safetensors"
    with pytest.raises(ValueError, match=r"small.safetensors is not in .*install course_lib again"):
        shipped.load_model(path, LanguageModel, ("characters",))
    a_file(path)
    with pytest.raises(ValueError, match=r"has the vocabularies \['characters'\], not \['source', 'target'\]"):
        shipped.load_model(path, Translator, ("source", "target"))
    save_file({"x": torch.zeros(2)}, path, {"info": json.dumps({"config": {}})})
    with pytest.raises(ValueError, match="is no shipped model: its metadata lacks vocabularies, corpus"):
        shipped.load_model(path, LanguageModel, ("characters",))
    with pytest.raises(ValueError, match="info must have the keys"):
        shipped.write_model(path, torch.nn.Linear(1, 1), {}, {})
