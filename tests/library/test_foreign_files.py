"""Files from others: whatever is cut, flipped or repeated in them, a reader reads it or raises a ValueError that names
the file."""

import bz2
import gzip
import json
import lzma
import struct
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from course_lib import shipped
from course_lib.pretrained.gguf_file import read_gguf
from course_lib.text.readers import read_descriptions, read_pairs
from course_lib.training import resume, train, write_training
from course_lib.transformer import LanguageModel
from tests.library.test_shipped import a_file


def text(word):
    return struct.pack("<Q", len(word)) + word


def fact(name, kind, value):
    return text(name) + struct.pack("<I", kind) + value


def gguf(facts=(), sizes=(64,), kind=8, data=bytes(68), version=3):
    """A file of some facts and one tensor."""
    head = b"GGUF" + struct.pack("<IQQ", version, 1, len(facts)) + b"".join(facts)
    head += text(b"W") + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, 0)
    return head + bytes(-len(head) % 32) + data


FACTS = [
    fact(b"a.text", 8, text("città".encode())),
    fact(b"a.list", 9, struct.pack("<IQ3i", 5, 3, 1, 2, 3)),
    fact(b"general.alignment", 4, struct.pack("<I", 32)),
]
WHOLE = gguf(FACTS)


def model_and_optimiser(kind=torch.optim.Adam, **options):
    model = torch.nn.Linear(2, 2)
    return model, kind(model.parameters(), lr=0.1, **options)


def a_checkpoint(path):
    model, optimiser = model_and_optimiser()
    model(torch.ones(1, 2)).sum().backward()
    optimiser.step()
    write_training(path, model, optimiser, [1.0])


def packed(compress):
    return lambda path: path.write_bytes(compress(b"The cat sleeps.\tLe chat dort.\nI know.\tJe sais.\n" * 9))


# a file's name → what writes it, and what reads it
FILES = {
    "a.gguf": (lambda path: path.write_bytes(WHOLE), read_gguf),
    "run.safetensors": (a_checkpoint, lambda path: resume(path, *model_and_optimiser())),
    "model.safetensors": (a_file, lambda path: shipped.load_model(path, LanguageModel, ("characters",))),
    "pairs.tsv": (packed(bytes), read_pairs),
    "pairs.GZ": (packed(partial(gzip.compress, mtime=0)), read_pairs),
    "pairs.Bz2": (packed(bz2.compress), read_pairs),
    "pairs.xz": (packed(lzma.compress), read_pairs),
    "Translation-en": (lambda path: path.write_bytes((
        b"Description-md5: 0\nDescription-en: a\n b\nDescription-it: c\n "
        b"d\n\n"
    ) * 3), lambda path: read_descriptions(path, path)),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_damaged_anywhere_is_named(tmp_path_factory, name):
    path = tmp_path_factory.mktemp("files") / name
    write, read = FILES[name]
    write(path)
    whole = path.read_bytes()
    assert read(path)
    generator = torch.get_rng_state()  # a checkpoint's may be anything

    @given(st.sampled_from(["cut", "flip", "repeat", "other"]), st.integers(0, len(whole) - 1), st.integers(1, 255))
    def damaged(how, at, by):
        rest = {
            "cut": b"",
            "flip": bytes([whole[at] ^ by]) + whole[at + 1 :],
            "repeat": whole[max(0, at - by) :],
            "other": bytes([by]) * 40,
        }
        path.write_bytes((b"" if how == "other" else whole[:at]) + rest[how])
        try:
            read(path)
        except ValueError as problem:
            assert name in str(problem)

    damaged()
    torch.set_rng_state(generator)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        *((WHOLE[:size], "bytes should stand at byte" if size else "empty") for size in (0, 3, 4, 12, 30, 90)),
        (b"PK\x03\x04 something else altogether",
        r"a whole GGUF file of version 3, got a\.gguf: its first bytes must be .*PK"),
        (gguf(version=2), "its version must be one of 3, got 2"),
        (gguf([fact(b"general.alignment", 4, bytes(4))]), "general.alignment must be an int > 0, got 0"),
        (gguf([fact(b"a", 99, bytes(4))]), "a fact's type must be one of .* got 99"),
        (gguf([text(b"a") + struct.pack("<IQ", 8, 2**40)]), "1099511627776 bytes should stand at byte"),
        (gguf([fact(b"a", 9, struct.pack("<IQ", 9, 2**60) * 4000)]), "recursion"),
        (gguf([fact(b"a", 8, text(b"\xff"))]), "decode"),
        (gguf(sizes=(2**63, 2**63)),
        r"the shape of tensor W in a.gguf must be whole blocks of 32 within the file's \d+ bytes, got"),
        (gguf(sizes=(33,)), "the shape of tensor W in a.gguf must be whole blocks"),
        (gguf(data=bytes(67)), r"the shape of tensor W in a.gguf must be .* got \[64\] at byte"),
        (gguf(kind=14), "the type of tensor W in a.gguf .* must be one of 0, 3, 8, got 14"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)  # fmt: skip
def test_what_is_wrong_with_a_gguf_file(tmp_path, data, words):
    (tmp_path / "a.gguf").write_bytes(data)
    with pytest.raises(ValueError, match=words) as error:
        read_gguf(tmp_path / "a.gguf")
    assert "a.gguf" in str(error.value)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("pairs.gz", b"The cat"),
        ("pairs.xz", b"The cat"),
        ("pairs.BZ2", b"The cat"),
        ("pairs.gz", gzip.compress(b"The\tLe\n" * 9, mtime=0)[:-9]),
    ],
    ids=["gz", "xz", "BZ2", "cut"],
)
def test_what_is_not_packed_as_its_name_says_is_named_with_the_line(tmp_path, name, start):
    (tmp_path / name).write_bytes(start)
    with pytest.raises(ValueError, match=rf"{name}, line \d+: must be packed as \.\w+ says, and whole, got "):
        read_pairs(tmp_path / name)


def test_a_byte_order_mark_is_no_word(tmp_path):
    (tmp_path / "pairs.tsv").write_bytes("\ufeffGo.\tCafe\u0301.\n".encode())
    for tokenise in ({}, {"tokenise": str.split}):
        ((source, target),) = read_pairs(tmp_path / "pairs.tsv", **tokenise)
        assert source[0].startswith("Go") and target[0].startswith("Café")


KINDS = [
    (torch.optim.SGD, {}),
    (torch.optim.SGD, {"momentum": 0.9}),
    (torch.optim.Adam, {}),
    (torch.optim.Adam, {"amsgrad": True}),
    (torch.optim.AdamW, {}),
    (torch.optim.RMSprop, {}),
    (torch.optim.Adagrad, {}),
]


def test_a_checkpoint_of_another_optimiser_is_refused(tmp_path):
    def run(kind, options, steps):
        model, optimiser = model_and_optimiser(kind, **options)
        return train(
            model,
            lambda step: torch.ones(1, 2),
            lambda model, x: model(x).square().sum(),
            optimiser,
            steps,
            checkpoint=path,
        )

    for kind, options in KINDS:
        path = tmp_path / f"{kind.__name__}{len(options)}.safetensors"
        run(kind, options, 2)
        assert len(run(kind, options, 3)) == 3
        for other in KINDS:
            if other != (kind, options):
                with pytest.raises(
                    ValueError,
                    match=rf"{path.name} is of another run: delete it to start afresh\nits run: {kind.__name__}",
                ):
                    run(*other, 4)


@pytest.mark.parametrize(
    "change",
    [
        *({"config": config} for config in ({"layers": 1}, {"layers": 1, "d": 6, "m": 2, "h": 2, "r": 8}, 3)),
        *({"vocabularies": {"characters": tokens}} for tokens in (5, ["a", "a"])),
    ],
    ids=str,
)
def test_a_model_of_another_kind_is_named(tmp_path, change):
    path = tmp_path / "model.safetensors"
    a_file(path)
    info = {
        "corpus": {},
        "command": "",
        "steps": 1,
        "losses": [],
        "scores": {},
        "config": {},
        "vocabularies": {"characters": ["a"]},
    }
    save_file(load_file(path), path, {"info": json.dumps(info | change)})
    with pytest.raises(ValueError, match=r"model.safetensors does not fit LanguageModel and its own metadata"):
        shipped.load_model(path, LanguageModel, ("characters",))
