"""The shipped translator in the page: every intermediate result against PyTorch, on several sizes, batches and
lengths."""

import json

import pytest
import torch

from course_lib.attention import causal_mask, padding_mask
from course_lib.graphs.inference import TRANSLATOR_LAYERS
from course_lib.transformer.models import Translator
from course_lib.transformer.opened import open_block, open_decoder_block
from course_lib.widgets import shipped_data
from tests.shared.graph_node import GLUE, call, close, js, stored

# d, m, h, r, words of the source, words of the target; then the lengths of the sources and of the targets
SIZES = [(8, 4, 2, 16, 9, 7), (16, 5, 3, 11, 30, 40), (6, 6, 1, 5, 5, 5), (32, 8, 4, 64, 50, 61)]
LENGTHS = [([5], 1), ([1], 3), ([7, 4, 7], 4), ([2, 9], 8)]


def packed(model, words, seed):
    """Random weights that float16 holds exactly, in the model and as the page gets them."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype)
            parameter.copy_((parameter + 0.1 * noise).half().to(parameter.dtype))
    config = {"d": model.d, "m": model.m, "h": model.h}
    config["r"] = next(p for name, p in model.named_parameters() if name.endswith("W_1")).shape[1]
    parameters = {name: p.detach().half().numpy() for name, p in model.named_parameters()}
    return json.loads(shipped_data.pack(config, words, parameters))


def vocabulary(size):
    return [f"w{i}" for i in range(size)]


def translator(d, m, h, r, source, target, seed):
    model = Translator(source, target, TRANSLATOR_LAYERS, d, m, h, r, dtype=torch.float64).eval()
    model.d, model.m, model.h = d, m, h
    return model, packed(model, {"source": vocabulary(source), "target": vocabulary(target)}, seed)


def opened(data):
    """The page's model of these data."""
    return js("runtime/shipped.js").makeModel(data, stored("read_translator"))


def tensor(answer):
    return torch.tensor(answer["numbers"], dtype=torch.float64).reshape(answer["shape"])


def prefixed(name, opened):
    return {f"{name}.{part}": value for part, value in opened.items()}


def embedded(name, embedding, tokens):
    rows = embedding.E[tokens]
    return {f"{name}.embedding": rows, f"{name}.scaled": rows * embedding.factor, f"{name}.sum": embedding(tokens)}


@torch.no_grad()
def everything_translated(model, source, lengths, target):
    """The same results, put together from the blocks; the last ones from the model's own forward."""
    seen = padding_mask(lengths, source.shape[1])
    results = embedded("source", model.source_embedding, source)
    x = results["source.sum"]
    for i, block in enumerate(model.encoder.blocks):
        results |= prefixed(f"encoder.{i}", open_block(block, x, seen))
        x = block(x, seen).output
    memory = results["memory"] = model.encode(source, lengths).output
    results |= embedded("target", model.target_embedding, target)
    y = results["target.sum"]
    mask = causal_mask(target.shape[1])
    for i, block in enumerate(model.decoder.blocks):
        results |= prefixed(f"decoder.{i}", open_decoder_block(block, y, memory, mask, seen))
        y = block(y, memory, mask, seen).output
    logits = model(source, target, lengths).logits
    return results | {"final": model.decoder.final_norm(y), "logits": logits, "probabilities": logits.softmax(-1)}


def agree(got, want):
    assert got.keys() == want.keys()
    for name, expected in want.items():
        assert close(tensor(got[name]), expected), name


def test_every_matrix_of_the_translator_is_pytorchs():
    asked, wants = [], []
    for seed, sizes in enumerate(SIZES):
        model, data = translator(*sizes, seed)
        page = opened(data)
        generator = torch.Generator().manual_seed(seed)
        for lengths, n in LENGTHS:
            sources = [torch.randint(1, sizes[4], (length,), generator=generator) for length in lengths]
            source = torch.nn.utils.rnn.pad_sequence(sources, batch_first=True)
            target = torch.randint(1, sizes[5], (len(lengths), n), generator=generator)
            tokens = {"source": [s.tolist() for s in sources], "target": target.tolist()}
            asked.append(page.run(tokens, page.results))
            wants.append(everything_translated(model, source, torch.tensor(lengths), target))
    for got, want in zip(call(*asked), wants, strict=True):
        agree(got, want)


def test_a_page_hears_what_is_wrong_with_its_tokens():
    _, data = translator(8, 4, 2, 8, 6, 6, 0)
    run = opened(data).run
    unknown, nameless = call(
        *(
            GLUE.refused(run, {"source": [2], "target": target}, [name])
            for target, name in (([[1, 6]], "logits"), ([1], "logit"))
        )
    )
    assert unknown == "a token must be a whole number from 0 to 5, got 6" and "has no output 'logit'" in nameless


def test_a_name_that_is_none_is_refused():
    with pytest.raises(
        ValueError, match=r"^name must be one of english_french, towns, rnnencdec, numbers, rnnsearch, got 'german'"
    ):
        shipped_data.blobs("german")
