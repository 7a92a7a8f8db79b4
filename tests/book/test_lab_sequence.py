"""The lab that builds a translator: its checks know right from wrong, its solutions pass, its blanks fall back on the
same model."""

import re

import torch

from tests.book.every_lab import EveryLab
from tests.shared.lab_notebook import printed

ANSWERS = {
    "gru": (
        [
            (
                "r = s.shape[-1]\n"
                "a, c = x @ p['W_x'] + p['b'], s @ p['W_s']\n"
                "q = torch.sigmoid(a[:, :r] + c[:, :r])\n"
                "z = torch.sigmoid(a[:, r:2 * r] + c[:, r:2 * r])\n"
                "n = torch.tanh(a[:, 2 * r:] + q * (c[:, 2 * r:] + p['b_n']))\n"
                "return (1 - z) * n + z * s"
            ),
            (
                "rows = []\n"
                "for x_i, s_i in zip(x, s):\n"
                "    a, c = (x_i @ p['W_x'] + p['b']).reshape(3, -1), (s_i @ p['W_s']).reshape(3, -1)\n"
                "    q, z = 1 / (1 + torch.exp(-(a[:2] + c[:2])))\n"
                "    n = torch.tanh(a[2] + q * (c[2] + p['b_n']))\n"
                "    rows.append(n + z * (s_i - n))\n"
                "return torch.stack(rows)"
            ),
            (
                "cell = nn.GRUCell(x.shape[1], s.shape[1])\n"
                "cell.weight_ih.data, cell.weight_hh.data, cell.bias_ih.data = p['W_x'].T, p['W_s'].T, p['b']\n"
                "cell.bias_hh.data = torch.cat([0 * p['b_n'], 0 * p['b_n'], p['b_n']])\n"
                "return cell(x, s)"
            ),
        ],
        [
            ("(1 - z) * n + z * s", "z * n + (1 - z) * s", "Old and new are exchanged"),
            (
                "return",
                "q, z = z, q\nn = torch.tanh(a[:, 2 * r:] + q * (c[:, 2 * r:] + p['b_n']))\nreturn",
                "gates are exchanged",
            ),
            ("q * (c[:, 2 * r:] + p['b_n'])", "(q * s) @ p['W_s'][:, 2 * r:] + p['b_n']", "before the product"),
            (" + p['b_n']", "", "b_n is missing"),
            ("q * (c[:, 2 * r:] + p['b_n'])", "c[:, 2 * r:] + p['b_n']", "reset gate κ is missing"),
            ("torch.tanh", "torch.sigmoid", "proposal takes the tanh"),
            ("return (1 - z) * n + z * s", "return ((1 - z) * n + z * s).tolist()", "later steps need a `Tensor`"),
        ],
    ),
    "read": (
        [
            (
                "s = torch.zeros(x.shape[0], p['b_n'].shape[0])\n"
                "for t in range(x.shape[1]):\n"
                "    new = gru(x[:, t], s, p)\n"
                "    s = torch.where((t < lengths)[:, None], new, s)\n"
                "return s"
            ),
            (
                "last = []\n"
                "for row, length in zip(x, lengths):\n"
                "    s = torch.zeros(1, len(p['b_n']))\n"
                "    for token in row[:length]:\n"
                "        s = gru(token[None], s, p)\n"
                "    last.append(s[0])\n"
                "return torch.stack(last)"
            ),
            (
                "s, states = torch.zeros(len(x), len(p['b_n'])), []\n"
                "for t in range(x.shape[1]):\n"
                "    s = gru(x[:, t], s, p)\n"
                "    states.append(s)\n"
                "return torch.stack(states, 1)[torch.arange(len(x)), lengths - 1]"
            ),
            (
                "s = torch.zeros(len(x), len(p['b_n']))\nfor t in range(int(lengths.max())):\n    on = (lengths > "
                "t).unsqueeze(1).double()\n    s = on * gru(x[:, t], s, p) + (1 - on) * s\nreturn s"
            ),
        ],
        [
            ("torch.where((t < lengths)[:, None], new, s)", "new", "padding has been read"),
            ("gru(x[:, t], s, p)", "gru(x[:, t] * (t < lengths)[:, None], s, p)\n    s = new", "Zeros are a token"),
            ("t < lengths", "t <= lengths", "One token too many"),
            ("t < lengths", "t < lengths - 1", "last token has not been read"),
            ("new, s)", "new, 0 * s)", "not become 0"),
        ],
    ),
    "start": (
        [
            "x = model['E_source'][source]\ns = read(x, lengths, model['encoder'])\nreturn s, s",
            "C = read(F.embedding(source, model['E_source']), lengths, model['encoder'])\nreturn [C.clone(), C]",
            (
                "C = read(F.one_hot(source, len(model['E_source'])).double() @ model['E_source'], lengths, "
                "model['encoder'])\nreturn (C, C)"
            ),
        ],
        [
            ("return s, s", "return s", "one tensor"),
            ("return s, s", "return torch.zeros_like(s), s", "the encoder's last one, not 0"),
            ("return s, s", "return s, torch.zeros_like(s)", "context C is the encoder's last state"),
            ("lengths,", "torch.full((len(source),), source.shape[1]),", "give `read` the lengths"),
            ("encoder", "decoder", "read by the encoder's cell"),
        ],
    ),
    "step": (
        [
            (
                "s, C = state\nx = torch.cat((model['E_target'][tokens], C), dim=1)\ns = gru(x, s, "
                "model['decoder'])\nreturn s @ model['U'] + model['b_U'], (s, C)"
            ),
            (
                "y = F.embedding(tokens, model['E_target'])\nnew = gru(torch.hstack([y, state[1]]), state[0], "
                "model['decoder'])\nreturn F.linear(new, model['U'].T, model['b_U']), [new, state[1]]"
            ),
            (
                "s, C = state\n"
                "s = torch.stack([gru(torch.cat([model['E_target'][k], c])[None], old[None], model['decoder'])[0] for "
                "k, old, c in zip(tokens, s, C)])\n"
                "return torch.addmm(model['b_U'], s, model['U']), (s, C)"
            ),
        ],
        [
            ("model['E_target'][tokens], C)", "model['E_target'][tokens], 0 * C)", "context has not reached"),
            (", (s, C)", ", state", "starts where the first one did"),
            (", (s, C)", ", (s, s)", "replaced by s"),
            (" + model['b_U']", "", "b_U is missing"),
            (", (s, C)", "", "The new state is missing"),
            (", (s, C)", ", s", "must be a pair again"),
            ("(model['E_target'][tokens], C)", "(C, model['E_target'][tokens])", "First the word"),
            (
                "return s @ model['U'] + model['b_U']",
                "return (s @ model['U'] + model['b_U']).softmax(-1)",
                "no softmax",
            ),
        ],
    ),
    "forced_loss": (
        [
            (
                "state, total, count = start(model, source, lengths), 0, 0\n"
                "for t in range(target.shape[1]):\n"
                "    logits, state = step(model, target[:, t], state)\n"
                "    p = torch.log_softmax(logits, -1)[torch.arange(len(target)), answers[:, t]]\n"
                "    real = answers[:, t] != 0\n"
                "    total = total - p[real].sum()\n"
                "    count = count + real.sum()\n"
                "return total / count"
            ),
            (
                "logits, state = [], start(model, source, lengths)\n"
                "for word in target.unbind(1):\n"
                "    l, state = step(model, word, state)\n"
                "    logits.append(l)\n"
                "return F.cross_entropy(torch.stack(logits, 2), answers, ignore_index=0)"
            ),
            (
                "state, losses = start(model, source, lengths), []\n"
                "for word, answer in zip(target.T, answers.T):\n"
                "    logits, state = step(model, word, state)\n"
                "    losses.append(F.cross_entropy(logits, answer, reduction='none'))\n"
                "losses = torch.stack(losses, 1)\n"
                "mask = (answers > 0).double()\n"
                "return (losses * mask).sum() / mask.sum()"
            ),
        ],
        [
            (
                "step(model, target[:, t], state)",
                "step(model, target[:, 0] if t == 0 else logits.argmax(-1), state)",
                "reads its own words",
            ),
            ("answers[:, t] != 0", "answers[:, t] > -1", "padding and must not count"),
            ("total / count", "total", "That is the sum"),
            ("total / count", "total / answers.numel()", "divide by all places"),
            ("answers[:, t]", "target[:, t]", "shifted by one"),
            ("total / count", "(total / count).item()", "later steps need a `Tensor`"),
        ],
    ),
    "write": (
        [
            (
                "b = len(state[0]) if isinstance(state, tuple) else len(state)\n"
                "tokens = torch.full((b,), START)\n"
                "alive = torch.ones(b, dtype=torch.bool)\n"
                "out = torch.zeros(b, longest, dtype=torch.long)\n"
                "for t in range(longest):\n"
                "    logits, state = next_of(tokens, state)\n"
                "    tokens = logits.argmax(-1)\n"
                "    alive = alive & (tokens != END)\n"
                "    out[alive, t] = tokens[alive]\n"
                "return out"
            ),
            (
                "b = len(state[0]) if isinstance(state, tuple) else len(state)\n"
                "tokens, rows = torch.tensor([START] * b), []\n"
                "for _ in range(longest):\n"
                "    logits, state = next_of(tokens, state)\n"
                "    tokens = torch.argmax(logits, dim=1)\n"
                "    rows.append(tokens)\n"
                "out = torch.stack(rows, 1)\n"
                "return out * ((out == END).cumsum(1) == 0)"
            ),
            (
                "b = len(state[0]) if isinstance(state, tuple) else len(state)\n"
                "words, tokens = [[] for _ in range(b)], torch.full((b,), START)\n"
                "for _ in range(longest):\n"
                "    logits, state = next_of(tokens, state)\n"
                "    tokens = logits.max(-1).indices\n"
                "    for row, token in zip(words, tokens.tolist()):\n"
                "        over = token == END or (row and row[-1] == 0)\n"
                "        row.append(0 if over else token)\n"
                "return torch.tensor(words)"
            ),
        ],
        [
            ("alive & (tokens != END)", "tokens != END", "come back to life"),
            (
                "out[alive, t] = tokens[alive]",
                (
                    "out[alive | ((tokens == END) & (out[:, :t] != END).all(1)), t] = tokens[alive | ((tokens == END) "
                    "& (out[:, :t] != END).all(1))]"
                ),
                "END itself is no word",
            ),
            ("next_of(tokens, state)", "next_of(torch.full((b,), START), state)", "reads START again"),
            ("logits, state =", "logits, _ =", "Hand the new one on"),
            ("return out", "return torch.cat([torch.full((b, 1), START), out], 1)", "START is read, not written"),
        ],
    ),
    "backwards": (
        [
            (
                "out = torch.zeros_like(source)\nfor i, length in enumerate(lengths):\n    out[i, :length] = source[i, "
                ":length].flip(0)\nreturn out"
            ),
            (
                "t = torch.arange(source.shape[1])\nplace = lengths[:, None] - 1 - t\nreturn torch.where(place >= 0, "
                "torch.gather(source, 1, place.clamp(min=0)), 0)"
            ),
            (
                "rows = [list(reversed(row[:n])) + row[n:] for row, n in zip(source.tolist(), lengths.tolist())]\n"
                "return torch.tensor(rows)"
            ),
            (
                "n = source.shape[1]\n"
                "return torch.stack([torch.roll(row.flip(0), int(k) - n) for row, k in zip(source, lengths)])"
            ),
        ],
        [
            ("return source.flip(1)", "padding has come to the front"),
            ("return source", "Nothing has changed"),
            ("return source.flip(0)", "order of the sentences"),
            (
                (
                    "place = lengths[:, None] - 1 - torch.arange(source.shape[1])\nreturn source.gather(1, "
                    "place.clamp(min=0))"
                ),
                "padding has become the first word",
            ),
            ("return source.gather(1, lengths[:, None] - torch.arange(source.shape[1]))", "One place too far"),
            ("return out", "return out.tolist()", "later steps need a `Tensor`"),
        ],
    ),
}


class TestLab(EveryLab):
    name, left_out = "sequence_to_sequence", r"number_words\(|trained\(|\bask\(|say\(|interactive\(|plots\."
    answers = ANSWERS
    lines, fallbacks = 20, 7


def test_gradients_pass_through_every_parameter(lab):
    """Held to central differences: a detached piece would pass every check of values."""
    model = lab["model_weights"](
        5, 4, 3, 2, lambda *shape: torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))
    )
    given = (
        torch.tensor([[4, 1, 3], [2, 0, 0]]),
        torch.tensor([3, 1]),
        torch.tensor([[1, 3, 3], [1, 3, 0]]),
        torch.tensor([[3, 3, 2], [3, 2, 0]]),
    )
    parameters = [value for part in model.values() for value in (part.values() if isinstance(part, dict) else [part])]
    assert len(parameters) == 12
    for W in parameters:
        W.requires_grad_()
    assert torch.autograd.gradcheck(lambda *_: lab["forced_loss"](model, *given), parameters, rtol=1e-4, atol=1e-8)
    gradients = torch.autograd.grad(lab["forced_loss"](model, *given), parameters)
    assert min(gradient.abs().max() for gradient in gradients) > 1e-6


def test_the_page_says_what_reading_backwards_did():
    """Fewer numbers right, the first word right every time, the last one hardly ever."""
    text = printed(f"labs/solutions/{TestLab.name}")
    assert float(re.search(r"held-out numbers exactly right: ([\d.]+)", text)[1]) > 0.95
    runs = re.findall(r"seed (\d), (\w+) +([\d.]+) +([\d.]+) +([\d.]+)", text)
    scores = {(seed, order): tuple(map(float, each)) for seed, order, *each in runs}
    for seed in "12":
        there, back = scores[seed, "forwards"], scores[seed, "backwards"]
        assert back[0] < there[0] / 2 and back[1] == 1 >= there[1] and back[2] < 0.25 < there[2]
