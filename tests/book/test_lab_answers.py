"""What learners write into the labs: right programs of every usual kind pass, and each likely mistake is named.

None of these programs is a lab's own solution. A step has the bodies of at least two right functions, and of wrong ones with words of
what must be said: (body, words), or (what is right in the first body, what stands instead, words).
"""

import re

import numpy as np
import pytest
import torch

from course_lib.exercises import checked
from tests.shared.lab_notebook import ROOT, solved, written

LEFT_OUT = (  # cells that take long or draw, and what follows from them
    r"\bask\(|turned\(90|drawn\(True|test_batch\(|models = |history|left\(run|interactive\(|plots\.|number_words\(|trained\(|\bsay\(|towns\(\)|invented\(|moved\(|AttentionByHand\(|Explorer\(|Run\(|run\.model"
    r"|errors\[|counters|for theta in|best_pair|proof|with_rule|smaller\.|, smaller|small_network|until_it_ends\(\*|largest_step|len\(sizes\)|BOX|everywhere|my_target|runs = |runs\[|in runs|in found|courses|attend_particles\(|known\[0|sorted\(shares|installed\(|town_model\(|held_out_loss\(|random_model\(|invent\(|show\("
)

BY_HAND = {
    "softmax": (
        [
            "e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))\nreturn e / np.sum(e, axis=-1, keepdims=True)",
            "if scores.ndim > 1:\n    return np.array([softmax(row) for row in scores])\ntop = max(scores)\ne = [np.exp(s - top) for s in scores]\nreturn [x / sum(e) for x in e]",
            "return torch.softmax(torch.from_numpy(scores), dim=-1)",
            "scores = scores - scores.max(-1)[..., None]\nreturn np.exp(scores - np.log(np.exp(scores).sum(-1))[..., None])",
        ],
        [
            ("e / np.sum(e, axis=-1, keepdims=True)", "e", "do not sum to 1"),
            ("e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))", "e = scores", "exponentiate first"),
            ("np.sum(e, axis=-1, keepdims=True)", "e.sum()", "sum of the whole array"),
            ("return e / np.sum(e, axis=-1, keepdims=True)", "return e / e.sum(-1)", "keepdims"),
            (" - np.max(scores, axis=-1, keepdims=True)", "", "The exponential of 10,000 is infinite"),
            ("np.max(scores, axis=-1, keepdims=True)", "np.max(scores)", "maximum of the whole array"),
            ("return torch.softmax(torch.tensor(scores), dim=0)", "columns sum to 1"),
            ("scores -= scores.max(-1, keepdims=True)\ne = np.exp(scores)\nreturn e / e.sum(-1, keepdims=True)", "changes its argument 1"),
        ],
    ),
    "scores": (
        [
            "return (Q @ K.T) / np.sqrt(Q.shape[-1])",
            "n, s, m = len(Q), len(K), Q.shape[1]\nS = np.zeros((n, s))\nfor i in range(n):\n    for j in range(s):\n        S[i, j] = np.dot(Q[i], K[j]) / m ** 0.5\nreturn S",
            "return np.einsum('nm,sm->ns', Q, K) * Q.shape[1] ** -0.5",
            "Q, K = torch.tensor(Q), torch.tensor(K)\nreturn Q @ K.mT / Q.shape[-1] ** 0.5",
        ],
        [
            (" / np.sqrt(Q.shape[-1])", "", "division is missing"),
            ("np.sqrt(Q.shape[-1])", "Q.shape[-1]", "square root is missing"),
            ("Q.shape[-1]", "Q.shape[0]", "number of queries"),
            ("Q.shape[-1]", "len(K)", "number of keys"),
            ("K.T", "K", "must be transposed"),
            ("return np.dot(K, Q.T) / np.sqrt(Q.shape[1])", "Your rows are keys"),
        ],
    ),
    "weights": (
        [
            "S = scores(Q, K)\nif mask is not None:\n    S = np.where(mask, S, -np.inf)\nA = softmax(S)\nreturn A",
            "S = scores(Q, K)\nif mask is not None:\n    S[~mask] = -1e9\nreturn softmax(S)",
            "S = Q @ K.T / np.sqrt(Q.shape[1])\ne = np.exp(S - S.max())\nif mask is not None:\n    e = e * mask\nreturn e / e.sum(axis=1, keepdims=True)",
            "Q, K = torch.tensor(Q), torch.tensor(K)\nS = Q @ K.T / Q.shape[1] ** 0.5\nif mask is not None:\n    S = S.masked_fill(~torch.tensor(mask), float('-inf'))\nreturn S.softmax(-1)",
            "A = []\nfor i, row in enumerate(scores(Q, K)):\n    seen = np.ones(len(row), bool) if mask is None else mask[i]\n    e = np.where(seen, np.exp(row), 0)\n    A.append(e / e.sum())\nreturn A",
        ],
        [
            ("return softmax(scores(Q, K))", "mask has no effect"),
            ("A = softmax(scores(Q, K))\nreturn A if mask is None else A * mask", "behind the softmax"),
            ("np.where(mask, S, -np.inf)", "np.where(mask, -np.inf, S)", "turned round"),
            ("np.where(mask, S, -np.inf)", "S * mask", "A score of 0"),
            ("if mask is not None", "if mask", "if mask is not None"),
            ("softmax(S)", "S", "The softmax is missing"),
        ],
    ),
    "two_heads": (
        [
            "out = np.zeros_like(X)\nmask = np.tril(np.ones((len(X), len(X)))) == 1\nfor W_Q, W_K, W_V, W_O in heads:\n    A = weights(X @ W_Q, X @ W_K, mask)\n    out = out + A @ (X @ W_V) @ W_O\nreturn out",
            "Y, O = [], []\nfor q, k, v, o in heads:\n    Y.append(weights(X @ q, X @ k, ~np.triu(np.ones((len(X),) * 2, bool), 1)) @ X @ v)\n    O.append(o)\nreturn np.concatenate(Y, axis=1) @ np.concatenate(O, axis=0)",
            "x = torch.tensor(X)\nreturn sum(torch.nn.functional.scaled_dot_product_attention(*(x @ torch.tensor(W) for W in (q, k, v)), is_causal=True) @ torch.tensor(o) for q, k, v, o in heads)",
        ],
        [
            (", mask)", ")", "causal mask is missing"),
            ("np.tril", "np.triu", "those behind them"),
            ("out = out + A", "out = A", "Only the last head"),
            ("return out", "return out / len(heads)", "heads' mean"),
            ("return np.hstack([weights(X @ q, X @ k, np.tri(len(X)) > 0) @ X @ v @ o for q, k, v, o in heads])", "side by side"),
            ("return sum(weights(X @ q, X @ k, np.tri(len(X)) > 0) @ X @ v for q, k, v, o in heads)", "W_O is missing"),
        ],
    ),
}

MAPS = {
    "share": (
        [
            "return np.mean([A[r, k] for r, k in keys.items()])",
            "total = 0\nfor row in keys:\n    total += A[row][keys[row]]\nreturn total / len(keys)",
            "return A[list(keys.keys()), list(keys.values())].mean()",
            "return torch.tensor(A)[list(keys), list(keys.values())].mean()",
        ],
        [
            ("np.mean", "np.sum", "That is the sum"),
            ("return sum(A[r, k] for r, k in keys.items()) / A.shape[0]", "divide by all rows"),
            ("A[r, k]", "A[k, r]", "exchanged"),
            ("return A[list(keys)][:, list(keys.values())].mean()", "one bracket"),
            ("return np.mean([A[r].max() for r in keys])", "largest weight of each row"),
        ],
    ),
    "places": (
        [
            "H = -(A * np.log(np.where(A == 0, 1, A))).sum(axis=1)\nreturn np.exp(H)",
            "found = []\nfor row in A:\n    H = 0.0\n    for a in row:\n        if a > 0:\n            H -= a * np.log(a)\n    found.append(np.exp(H))\nreturn found",
            "with np.errstate(all='ignore'):\n    return np.exp(-np.nansum(A * np.log(A), axis=-1))",
            "return torch.exp(torch.special.entr(torch.from_numpy(A)).sum(dim=-1))",
            "return 2 ** -np.sum(A * np.log2(A, where=A > 0, out=np.zeros_like(A)), axis=1)",
            "return np.exp(-(A * np.log(A + 1e-12)).sum(-1))",
        ],
        [
            ("np.where(A == 0, 1, A)", "A", "0 · ln 0"),
            ("np.exp(H)", "H", "That is the entropy"),
            ("-(A", "(A", "minus"),
            ("np.log(", "np.log2(", "natural logarithm"),
            ("axis=1", "axis=0", "columns"),
            ("return np.count_nonzero(A, axis=-1)", "would count like one with 0.99"),
        ],
    ),
    "without": (
        [
            "W = W_O.copy()\nW[head] = 0\nreturn W",
            "return np.stack([W if i != head else np.zeros_like(W) for i, W in enumerate(W_O)])",
            "keep = np.arange(len(W_O)) != head\nreturn W_O * keep[:, None, None]",
            "W = torch.tensor(W_O)\nW[head] = 0\nreturn W",
        ],
        [
            ("W_O.copy()", "W_O", "changes its argument 1"),
            ("return np.delete(W_O, head, axis=0)", "moved up"),
            ("W = np.zeros_like(W_O)\nW[head] = W_O[head]\nreturn W", "take away the others"),
            ("W[head]", "W[head - 1]", "counted from 0"),
            ("W[head]", "W[:, head]", "row of every head"),
            ("return W_O * (np.arange(W_O.shape[2]) != head)", "column of every head"),
        ],
    ),
}

SEQUENCE = {
    "gru": (
        [
            "r = s.shape[-1]\na, c = x @ p['W_x'] + p['b'], s @ p['W_s']\nq = torch.sigmoid(a[:, :r] + c[:, :r])\nz = torch.sigmoid(a[:, r:2 * r] + c[:, r:2 * r])\nn = torch.tanh(a[:, 2 * r:] + q * (c[:, 2 * r:] + p['b_n']))\nreturn (1 - z) * n + z * s",
            "rows = []\nfor x_i, s_i in zip(x, s):\n    a, c = (x_i @ p['W_x'] + p['b']).reshape(3, -1), (s_i @ p['W_s']).reshape(3, -1)\n    q, z = 1 / (1 + torch.exp(-(a[:2] + c[:2])))\n    n = torch.tanh(a[2] + q * (c[2] + p['b_n']))\n    rows.append(n + z * (s_i - n))\nreturn torch.stack(rows)",
            "cell = nn.GRUCell(x.shape[1], s.shape[1])\ncell.weight_ih.data, cell.weight_hh.data, cell.bias_ih.data = p['W_x'].T, p['W_s'].T, p['b']\ncell.bias_hh.data = torch.cat([0 * p['b_n'], 0 * p['b_n'], p['b_n']])\nreturn cell(x, s)",
        ],
        [
            ("(1 - z) * n + z * s", "z * n + (1 - z) * s", "Old and new are exchanged"),
            ("return", "q, z = z, q\nn = torch.tanh(a[:, 2 * r:] + q * (c[:, 2 * r:] + p['b_n']))\nreturn", "gates are exchanged"),
            ("q * (c[:, 2 * r:] + p['b_n'])", "(q * s) @ p['W_s'][:, 2 * r:] + p['b_n']", "before the product"),
            (" + p['b_n']", "", "b_n is missing"),
            ("q * (c[:, 2 * r:] + p['b_n'])", "c[:, 2 * r:] + p['b_n']", "reset gate κ is missing"),
            ("torch.tanh", "torch.sigmoid", "proposal takes the tanh"),
            ("return (1 - z) * n + z * s", "return ((1 - z) * n + z * s).tolist()", "later steps need a `Tensor`"),
        ],
    ),
    "read": (
        [
            "s = torch.zeros(x.shape[0], p['b_n'].shape[0])\nfor t in range(x.shape[1]):\n    new = gru(x[:, t], s, p)\n    s = torch.where((t < lengths)[:, None], new, s)\nreturn s",
            "last = []\nfor row, length in zip(x, lengths):\n    s = torch.zeros(1, len(p['b_n']))\n    for token in row[:length]:\n        s = gru(token[None], s, p)\n    last.append(s[0])\nreturn torch.stack(last)",
            "s, states = torch.zeros(len(x), len(p['b_n'])), []\nfor t in range(x.shape[1]):\n    s = gru(x[:, t], s, p)\n    states.append(s)\nreturn torch.stack(states, 1)[torch.arange(len(x)), lengths - 1]",
            "s = torch.zeros(len(x), len(p['b_n']))\nfor t in range(int(lengths.max())):\n    on = (lengths > t).unsqueeze(1).double()\n    s = on * gru(x[:, t], s, p) + (1 - on) * s\nreturn s",
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
            "C = read(F.one_hot(source, len(model['E_source'])).double() @ model['E_source'], lengths, model['encoder'])\nreturn (C, C)",
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
            "s, C = state\nx = torch.cat((model['E_target'][tokens], C), dim=1)\ns = gru(x, s, model['decoder'])\nreturn s @ model['U'] + model['b_U'], (s, C)",
            "y = F.embedding(tokens, model['E_target'])\nnew = gru(torch.hstack([y, state[1]]), state[0], model['decoder'])\nreturn F.linear(new, model['U'].T, model['b_U']), [new, state[1]]",
            "s, C = state\ns = torch.stack([gru(torch.cat([model['E_target'][k], c])[None], old[None], model['decoder'])[0] for k, old, c in zip(tokens, s, C)])\nreturn torch.addmm(model['b_U'], s, model['U']), (s, C)",
        ],
        [
            ("model['E_target'][tokens], C)", "model['E_target'][tokens], 0 * C)", "context has not reached"),
            (", (s, C)", ", state", "starts where the first one did"),
            (", (s, C)", ", (s, s)", "replaced by s"),
            (" + model['b_U']", "", "b_U is missing"),
            (", (s, C)", "", "The new state is missing"),
            (", (s, C)", ", s", "must be a pair again"),
            ("(model['E_target'][tokens], C)", "(C, model['E_target'][tokens])", "First the word"),
            ("return s @ model['U'] + model['b_U']", "return (s @ model['U'] + model['b_U']).softmax(-1)", "no softmax"),
        ],
    ),
    "forced_loss": (
        [
            "state, total, count = start(model, source, lengths), 0, 0\nfor t in range(target.shape[1]):\n    logits, state = step(model, target[:, t], state)\n    p = torch.log_softmax(logits, -1)[torch.arange(len(target)), answers[:, t]]\n    real = answers[:, t] != 0\n    total = total - p[real].sum()\n    count = count + real.sum()\nreturn total / count",
            "logits, state = [], start(model, source, lengths)\nfor word in target.unbind(1):\n    l, state = step(model, word, state)\n    logits.append(l)\nreturn F.cross_entropy(torch.stack(logits, 2), answers, ignore_index=0)",
            "state, losses = start(model, source, lengths), []\nfor word, answer in zip(target.T, answers.T):\n    logits, state = step(model, word, state)\n    losses.append(F.cross_entropy(logits, answer, reduction='none'))\nlosses = torch.stack(losses, 1)\nmask = (answers > 0).double()\nreturn (losses * mask).sum() / mask.sum()",
        ],
        [
            ("step(model, target[:, t], state)", "step(model, target[:, 0] if t == 0 else logits.argmax(-1), state)", "reads its own words"),
            ("answers[:, t] != 0", "answers[:, t] > -1", "padding and must not count"),
            ("total / count", "total", "That is the sum"),
            ("total / count", "total / answers.numel()", "divide by all places"),
            ("answers[:, t]", "target[:, t]", "shifted by one"),
            ("total / count", "(total / count).item()", "later steps need a `Tensor`"),
        ],
    ),
    "write": (
        [
            "b = len(state[0]) if isinstance(state, tuple) else len(state)\ntokens = torch.full((b,), START)\nalive = torch.ones(b, dtype=torch.bool)\nout = torch.zeros(b, longest, dtype=torch.long)\nfor t in range(longest):\n    logits, state = next_of(tokens, state)\n    tokens = logits.argmax(-1)\n    alive = alive & (tokens != END)\n    out[alive, t] = tokens[alive]\nreturn out",
            "b = len(state[0]) if isinstance(state, tuple) else len(state)\ntokens, rows = torch.tensor([START] * b), []\nfor _ in range(longest):\n    logits, state = next_of(tokens, state)\n    tokens = torch.argmax(logits, dim=1)\n    rows.append(tokens)\nout = torch.stack(rows, 1)\nreturn out * ((out == END).cumsum(1) == 0)",
            "b = len(state[0]) if isinstance(state, tuple) else len(state)\nwords, tokens = [[] for _ in range(b)], torch.full((b,), START)\nfor _ in range(longest):\n    logits, state = next_of(tokens, state)\n    tokens = logits.max(-1).indices\n    for row, token in zip(words, tokens.tolist()):\n        over = token == END or (row and row[-1] == 0)\n        row.append(0 if over else token)\nreturn torch.tensor(words)",
        ],
        [
            ("alive & (tokens != END)", "tokens != END", "come back to life"),
            ("out[alive, t] = tokens[alive]", "out[alive | ((tokens == END) & (out[:, :t] != END).all(1)), t] = tokens[alive | ((tokens == END) & (out[:, :t] != END).all(1))]", "END itself is no word"),
            ("next_of(tokens, state)", "next_of(torch.full((b,), START), state)", "reads START again"),
            ("logits, state =", "logits, _ =", "Hand the new one on"),
            ("return out", "return torch.cat([torch.full((b, 1), START), out], 1)", "START is read, not written"),
        ],
    ),
    "backwards": (
        [
            "out = torch.zeros_like(source)\nfor i, length in enumerate(lengths):\n    out[i, :length] = source[i, :length].flip(0)\nreturn out",
            "t = torch.arange(source.shape[1])\nplace = lengths[:, None] - 1 - t\nreturn torch.where(place >= 0, torch.gather(source, 1, place.clamp(min=0)), 0)",
            "rows = [list(reversed(row[:n])) + row[n:] for row, n in zip(source.tolist(), lengths.tolist())]\nreturn torch.tensor(rows)",
            "n = source.shape[1]\nreturn torch.stack([torch.roll(row.flip(0), int(k) - n) for row, k in zip(source, lengths)])",
        ],
        [
            ("return source.flip(1)", "padding has come to the front"),
            ("return source", "Nothing has changed"),
            ("return source.flip(0)", "order of the sentences"),
            ("place = lengths[:, None] - 1 - torch.arange(source.shape[1])\nreturn source.gather(1, place.clamp(min=0))", "padding has become the first word"),
            ("return source.gather(1, lengths[:, None] - torch.arange(source.shape[1]))", "One place too far"),
            ("return out", "return out.tolist()", "later steps need a `Tensor`"),
        ],
    ),
}

SCORES = {
    "cosine": (
        [
            "return (q @ k.mT) / (q.norm(dim=-1)[..., :, None] * k.norm(dim=-1)[..., None, :])",
            "return F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)",
            "if q.ndim > 2:\n    return torch.stack([cosine(a, b) for a, b in zip(q, k)])\nreturn torch.tensor([[torch.dot(a, b) / (a.norm() * b.norm()) for b in k] for a in q])",
            "q, k = q.numpy(), k.numpy()\nlengths = np.linalg.norm(q, axis=-1)[..., None] * np.linalg.norm(k, axis=-1)[..., None, :]\nreturn q @ np.swapaxes(k, -1, -2) / lengths",
        ],
        [
            ("return q @ k.mT", "dot product"),
            (" * k.norm(dim=-1)[..., None, :]", "", "The key's is missing"),
            ("q.norm(dim=-1)[..., :, None] * ", "", "The query's is missing"),
            ("return q @ k.mT / (q.norm() * k.norm())", "length of its own"),
            ("return q @ k.mT / ((q * q).sum(-1, keepdim=True) * (k * k).sum(-1)[..., None, :])", "squares of the lengths"),
            ("return F.normalize(k, dim=-1) @ F.normalize(q, dim=-1).mT", "Your rows are keys"),
        ],
    ),
    "multiplicative": (
        [
            "return q @ (W @ k.mT)",
            "return torch.einsum('...nd,de,...se->...ns', q, W, k)",
            "return np.asarray(q) @ np.asarray(W) @ np.swapaxes(np.asarray(k), -1, -2)",
            "if q.ndim > 2:\n    return torch.stack([multiplicative(a, b, W) for a, b in zip(q, k)])\nS = torch.empty(len(q), len(k))\nfor i in range(len(q)):\n    for j in range(len(k)):\n        S[i, j] = q[i] @ W @ k[j]\nreturn S",
        ],
        [
            ("W @", "W.T @", "turned round"),
            ("return q @ W @ k", "must be transposed"),
            ("return q @ k.mT", "W is missing"),
            ("return q @ W @ k.mT / k.shape[-1] ** 0.5", "not divided by anything"),
            ("return k @ W.T @ q.mT", "Your rows are keys"),
        ],
    ),
    "additive": (
        [
            "a, b = q @ W_q, k @ W_k\nreturn torch.tanh(a[..., :, None, :] + b[..., None, :, :]) @ w",
            "if q.ndim > 2:\n    return torch.stack([additive(a, b, W_q, W_k, w) for a, b in zip(q, k)])\nS = torch.zeros(len(q), len(k))\nfor i, a in enumerate(q):\n    for j, b in enumerate(k):\n        S[i, j] = (torch.tanh(a @ W_q + b @ W_k) * w).sum()\nreturn S",
            "a, b = (np.matmul(x, W)[..., None, :] for x, W in ((q.numpy(), W_q.numpy()), (k.numpy(), W_k.numpy())))\nreturn np.tanh(a + np.swapaxes(b, -3, -2)) @ w.numpy()",
            "rows = [torch.tanh((q[..., t, :] @ W_q)[..., None, :] + k @ W_k) @ w for t in range(q.shape[-2])]\nreturn torch.stack(rows, -2)",
        ],
        [
            ("torch.tanh", "", "The tanh is missing"),
            ("return torch.tanh(a[..., :, None, :] + b[..., None, :, :]) @ w", "return torch.tanh((a[..., :, None, :] + b[..., None, :, :]) @ w)", "before the product with w"),
            ("] + b", "] - b", "You subtract"),
            (" @ w", ".sum(-1)", "by its entry of w"),
            ("return torch.tanh(q @ W_q + k @ W_k) @ w", "must meet every key"),
            ("a[..., :, None, :] + b[..., None, :, :]", "a[..., None, :, :] + b[..., :, None, :]", "Your rows are keys"),
        ],
    ),
}

TRANSFORMER = {
    "layer_norm": (
        [
            "centred = x - x.mean(dim=-1, keepdim=True)\nvar = (centred ** 2).mean(dim=-1, keepdim=True)\nreturn gain * centred / torch.sqrt(var + 1e-5) + bias",
            "return F.layer_norm(x, (x.shape[-1],), weight=gain, bias=bias, eps=1e-5)",
            "if x.ndim > 1:\n    return torch.stack([layer_norm(row, gain, bias) for row in x])\nd = len(x)\nmean = sum(x) / d\nvar = sum((v - mean) ** 2 for v in x) / d\nreturn torch.stack([(v - mean) / (var + 1e-5) ** 0.5 for v in x]) * gain + bias",
            "std, mean = torch.std_mean(x, dim=-1, correction=0, keepdim=True)\nreturn (x - mean) * torch.rsqrt(std ** 2 + 1e-5) * gain + bias",
        ],
        [
            ("(centred ** 2).mean(dim=-1, keepdim=True)", "x.var(dim=-1, keepdim=True)", "divides by d − 1"),
            ("return gain * (x - x.mean()) / torch.sqrt(((x - x.mean()) ** 2).mean() + 1e-5) + bias", "over all tokens together"),
            ("torch.sqrt(var + 1e-5)", "(var + 1e-5)", "square root is missing"),
            ("gain * ", "", "gain is missing"),
            (" + bias", "", "bias is missing"),
            (" + 1e-5", "", "under the root is missing"),
            ("torch.sqrt(var + 1e-5)", "(torch.sqrt(var) + 1e-5)", "belongs under the root"),
            ("x -= x.mean(-1, keepdim=True)\nreturn gain * x / ((x * x).mean(-1, keepdim=True) + 1e-5).sqrt() + bias", "changes its argument 1"),
        ],
    ),
    "attention": (
        [
            "n, m = q.shape[-2:]\nS = q @ k.transpose(-2, -1) / m ** 0.5\nS = torch.where(causal_mask(n), S, float('-inf'))\nreturn S.softmax(dim=-1) @ v",
            "rows = []\nfor i in range(q.shape[-2]):\n    s = (k[..., :i + 1, :] * q[..., i:i + 1, :]).sum(-1) / q.shape[-1] ** 0.5\n    rows.append((torch.softmax(s, -1)[..., None] * v[..., :i + 1, :]).sum(-2))\nreturn torch.stack(rows, -2)",
            "S = torch.einsum('...im,...jm->...ij', q, k) / torch.tensor(q.shape[-1]).sqrt()\nS = S + torch.full(S.shape[-2:], -torch.inf).triu(1)\nA = S.exp()\nreturn A / A.sum(-1, keepdim=True) @ v",
            "return F.scaled_dot_product_attention(q, k, v, attn_mask=causal_mask(q.shape[-2]))",
        ],
        [
            ("torch.where(causal_mask(n), S, float('-inf'))", "S", "mask is missing"),
            (" / m ** 0.5", "", "not divided by √m"),
            ("return (torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) * causal_mask(len(q))) @ v", "behind the softmax"),
            ("return torch.softmax(q @ k.mT, -1) @ v", "Two things are missing"),
            ("m ** 0.5", "m", "You divide by m"),
            ("torch.where(causal_mask(n), S, float('-inf'))", "S.masked_fill(causal_mask(n), -torch.inf)", "turned round"),
            ("float('-inf')", "0.0", "A score of 0"),
            ("dim=-1", "dim=-2", "columns sum to 1"),
        ],
    ),
    "split": (
        [
            "*rest, n, d = x.shape\nreturn x.reshape(*rest, n, h, d // h).transpose(-2, -3)",
            "m = x.shape[-1] // h\nreturn torch.stack([x[..., i * m:(i + 1) * m] for i in range(h)], dim=-3)",
            "return torch.stack(x.tensor_split(h, dim=-1)).movedim(0, -3)",
        ],
        [
            ("return x.reshape(*x.shape[:-2], h, x.shape[-2], x.shape[-1] // h)", "spread over other tokens"),
            (".transpose(-2, -3)", "", "before the tokens"),
            ("h, d // h", "d // h, h", "m heads of width h"),
            ("return x.unflatten(-1, (-1, h)).movedim(-1, -3)", "every h-th column"),
            (".transpose(-2, -3)", ".movedim(-3, -1)", "tokens are columns"),
            ("return torch.stack(x.chunk(h, -1))", "shape [2, 3, 2, 2], expected shape [3, 2, 2, 2]"),
        ],
    ),
    "join": (
        [
            "*rest, h, n, m = heads.shape\nreturn heads.transpose(-3, -2).reshape(*rest, n, h * m)",
            "return torch.cat([heads[..., i, :, :] for i in range(heads.shape[-3])], dim=-1)",
            "return torch.einsum('...hnm->...nhm', heads).flatten(-2, -1)",
        ],
        [
            (".transpose(-3, -2)", "", "other tokens have come in"),
            ("return heads.transpose(-3, -2)", "a row for each head still"),
            ("return torch.cat(list(heads.unbind(-3)), dim=-2)", "below each other"),
            ("return heads.sum(-3)", "adds the heads up"),
            ("return heads.movedim(-3, -1).flatten(-2)", "columns alternate"),
        ],
    ),
    "self_attention": (
        [
            "q = split(x @ p['W_Q'], h)\nk = split(x @ p['W_K'], h)\nv = split(x @ p['W_V'], h)\nreturn join(attention(q, k, v)) @ p['W_O']",
            "m, out = x.shape[-1] // h, 0\nfor i in range(h):\n    c = slice(i * m, (i + 1) * m)\n    y = attention(x @ p['W_Q'][:, c], x @ p['W_K'][:, c], x @ p['W_V'][:, c])\n    out = out + y @ p['W_O'][c]\nreturn out",
            "qkv = x @ torch.cat([p['W_Q'], p['W_K'], p['W_V']], 1)\nq, k, v = (split(part, h) for part in qkv.chunk(3, -1))\nreturn F.linear(join(F.scaled_dot_product_attention(q, k, v, is_causal=True)), p['W_O'].T)",
        ],
        [
            (" @ p['W_O']", "", "W_O is missing"),
            ("return attention(x @ p['W_Q'], x @ p['W_K'], x @ p['W_V']) @ p['W_O']", "the split is missing"),
            ("attention(q, k, v)", "attention(k, q, v)", "exchanged"),
            ("v = split(x @ p['W_V'], h)", "v = split(x, h)", "W_V is missing"),
            ("attention(q, k, v)", "F.scaled_dot_product_attention(q, k, v)", "see the future"),
        ],
    ),
    "feed_forward": (
        [
            "hidden = F.relu(x @ p['W_1'] + p['b_1'])\nreturn hidden @ p['W_2'] + p['b_2']",
            "a = x @ p['W_1'] + p['b_1']\nreturn torch.where(a > 0, a, 0.0) @ p['W_2'] + p['b_2']",
            "out = p['b_2'].expand(x.shape)\nfor k in range(len(p['b_1'])):\n    out = out + (x @ p['W_1'][:, k] + p['b_1'][k]).clamp(min=0)[..., None] * p['W_2'][k]\nreturn out",
        ],
        [
            ("F.relu", "", "one linear map"),
            ("return hidden @ p['W_2'] + p['b_2']", "return F.relu(hidden @ p['W_2'] + p['b_2'])", "not at the end too"),
            (" + p['b_1']", "", "b_1 is missing"),
            (" + p['b_2']", "", "b_2 is missing"),
            ("F.relu(x @ p['W_1'] + p['b_1'])", "F.relu(x) @ p['W_1'] + p['b_1']", "not x"),
            ("return hidden @ p['W_2'] + p['b_2']", "return (hidden @ p['W_2'] + p['b_2']).numpy()", "later steps need a `Tensor`"),
        ],
    ),
    "wired": (
        ["y = layer_norm(x, gain, bias)\nreturn x + f(y)", "return torch.add(f(F.layer_norm(x, gain.shape, gain, bias)), x)"],
        [
            ("x + f(y)", "f(y)", "skip is missing"),
            ("f(y)", "f(x)", "norm is missing"),
            ("return layer_norm(x + f(x), gain, bias)", "post-norm"),
            ("x + f(y)", "y + f(y)", "carries x itself"),
            ("return x + layer_norm(f(x), gain, bias)", "Norm what it reads"),
        ],
    ),
    "block": (
        [
            "def look(y):\n    return self_attention(y, p, h)\ndef think(y):\n    return feed_forward(y, p)\nx = wire(x, look, p['gain_1'], p['bias_1'])\nx = wire(x, think, p['gain_2'], p['bias_2'])\nreturn x",
            "for i, f in enumerate((lambda y: self_attention(y, p, h), lambda y: feed_forward(y, p)), start=1):\n    x = wire(x, f, p[f'gain_{i}'], p[f'bias_{i}'])\nreturn x",
        ],
        [
            ("return x", "x = wire(x, look, p['gain_1'], p['bias_1'])\nreturn x", "another value"),
            ("for i, f in ((2, lambda y: feed_forward(y, p)), (1, lambda y: self_attention(y, p, h))):\n    x = wire(x, f, p[f'gain_{i}'], p[f'bias_{i}'])\nreturn x", "your order is the opposite"),
            ("p['gain_2'], p['bias_2']", "p['gain_1'], p['bias_1']", "its own norm"),
            ("x = wire(x, think, p['gain_2'], p['bias_2'])\n", "", "feed-forward layer is missing"),
            ("x = wire(x, look,", "y = wire(x, look,", "thrown away"),
            ("wire(x,", "wired(x,", "`wire` is not used"),
        ],
    ),
    "language_model": (
        [
            "E, n = model['E'], tokens.shape[-1]\nx = E[tokens] * E.shape[1] ** 0.5 + P[:n]\nfor p in model['blocks']:\n    x = block(x, p, h, wire)\nx = layer_norm(x, model['gain'], model['bias'])\nreturn x @ E.T",
            "from functools import reduce\nE = model['E']\nx = F.embedding(tokens, E) * torch.tensor(E.shape[-1]).sqrt()\nx = x + P[torch.arange(tokens.shape[-1])]\nx = reduce(lambda y, p: block(y, p, h, wire), model['blocks'], x)\nreturn F.linear(layer_norm(x, model['gain'], model['bias']), E)",
        ],
        [
            (" * E.shape[1] ** 0.5", "", "not multiplied by √d"),
            (" + P[:n]", "", "positions are missing"),
            ("model['blocks']", "model['blocks'][:1]", "Only the first block"),
            ("x = layer_norm(x, model['gain'], model['bias'])\n", "", "last norm is missing"),
            (", wire)", ")", "`wire` does not reach"),
        ],
    ),
    "surprise": (
        [
            "p = torch.log_softmax(logits, dim=-1)\nlosses = -p.gather(-1, answers.unsqueeze(-1)).squeeze(-1)\nmask = (answers != 0).double()\nreturn (losses * mask).sum() / mask.sum()",
            "return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), answers.reshape(-1), ignore_index=0)",
            "total, count = 0.0, 0\nfor row, answer in zip(logits.flatten(0, -2), answers.flatten()):\n    if answer != 0:\n        total = total + torch.logsumexp(row, 0) - row[answer]\n        count += 1\nreturn total / count",
        ],
        [
            ("return (losses * mask).sum() / mask.sum()", "return losses.mean()", "padding and must not count"),
            ("mask.sum()", "answers.numel()", "divide by all places"),
            (" / mask.sum()", "", "That is the sum"),
            ("-p.gather", "p.gather", "the sign is not"),
            ("torch.log_softmax(logits, dim=-1)", "logits", "log-softmax first"),
            ("return (losses * mask).sum() / mask.sum()", "return ((losses * mask).sum() / mask.sum()).item()", "later steps need a `Tensor`"),
        ],
    ),
    "train": (
        [
            "losses = []\nfor step in range(1, steps + 1):\n    optimiser.zero_grad()\n    loss = loss_at(step)\n    loss.backward()\n    optimiser.step()\n    losses.append(float(loss))\nreturn losses",
            "losses, step = torch.zeros(steps), 0\nwhile step < steps:\n    step += 1\n    loss = loss_at(step)\n    loss.backward()\n    losses[step - 1] = loss.detach()\n    optimiser.step()\n    optimiser.zero_grad(set_to_none=True)\nreturn losses",
        ],
        [
            ("    optimiser.zero_grad()\n", "", "gradients of earlier steps"),
            ("    optimiser.step()\n", "", "The loss does not move"),
            ("loss.backward()", "loss.backward()\n    optimiser.zero_grad()", "The loss does not move"),
            ("float(loss)", "float(loss_at(step))", "losses after each step"),
            ("return losses", "return losses[-1]", "That is the last loss"),
            ("steps + 1", "steps", "One step is missing"),
        ],
    ),
    "no_residual": (
        ["y = layer_norm(x, gain, bias)\nreturn f(y)", "return wired(x, f, gain, bias) - x"],
        [
            ("f(y)", "x + f(y)", "x is still added"),
            ("f(y)", "f(x)", "The norm is gone too"),
            ("f(y)", "y", "f does nothing"),
            ("return layer_norm(f(x), gain, bias)", "Norm what it reads"),
            ("f(y)", "y + f(y)", "carries the normed x"),
        ],
    ),
    "no_norm": (
        ["return f(x) + x", "y = f(x)\nreturn torch.stack([x, y]).sum(0)"],
        [
            ("return x + f(layer_norm(x, gain, bias))", "still reads the normed x"),
            ("f(x) + x", "f(x)", "The skip is gone too"),
            ("+ x", "+ layer_norm(x, gain, bias)", "without a norm"),
            ("f(x) + x", "layer_norm(f(x), gain, bias) + x", "of what f answers"),
            ("return layer_norm(x + f(x), gain, bias)", "of the sum"),
        ],
    ),
    "loaded": (
        [
            "blocks = []\nfor i in range(layers):\n    at = 'stack.blocks.' + str(i) + '.'\n    p = {}\n    for name in ('W_Q', 'W_K', 'W_V'):\n        W = state[at + 'attention.' + name]\n        p[name] = torch.cat([W[k] for k in range(len(W))], dim=1)\n    p['W_O'] = torch.cat(list(state[at + 'attention.W_O']), dim=0)\n    for name in ('W_1', 'b_1', 'W_2', 'b_2'):\n        p[name] = state[at + 'feed_forward.' + name]\n    for name in ('gain', 'bias'):\n        p[name + '_1'] = state[at + 'around_attention.norm.' + name]\n        p[name + '_2'] = state[at + 'around_feed_forward.norm.' + name]\n    blocks.append(p)\nreturn {'E': state['embedding.E'], 'blocks': blocks, 'gain': state['stack.final_norm.gain'], 'bias': state['stack.final_norm.bias']}",
            "new = {'attention.W_Q': 'W_Q', 'attention.W_K': 'W_K', 'attention.W_V': 'W_V', 'attention.W_O': 'W_O'}\nnew |= {f'feed_forward.{w}': w for w in ('W_1', 'b_1', 'W_2', 'b_2')}\nnew |= {f'around_{part}.norm.{w}': f'{w}_{k}' for k, part in ((1, 'attention'), (2, 'feed_forward')) for w in ('gain', 'bias')}\nmodel = {'blocks': [{} for _ in range(layers)]}\nfor name, W in state.items():\n    parts = name.split('.', 3)\n    if parts[:2] == ['stack', 'blocks']:\n        mine = new[parts[3]]\n        if W.ndim == 3:\n            W = W.reshape(-1, W.shape[-1]) if mine == 'W_O' else W.permute(1, 0, 2).reshape(W.shape[1], -1)\n        model['blocks'][int(parts[2])][mine] = W\n    else:\n        model[name.split('.')[-1]] = W\nreturn model",
            "def arrays(i, part):\n    at = f'stack.blocks.{i}.{part}.'\n    return {name.removeprefix(at): W.clone() for name, W in state.items() if name.startswith(at)}\nblocks = []\nfor i in range(layers):\n    a = arrays(i, 'attention')\n    p = {k: torch.einsum('hdm->dhm', a[k]).flatten(1) for k in ('W_Q', 'W_K', 'W_V')} | {'W_O': torch.vstack(tuple(a['W_O']))}\n    p |= arrays(i, 'feed_forward')\n    for k, part in enumerate(('around_attention.norm', 'around_feed_forward.norm'), 1):\n        p |= {f'{name}_{k}': W for name, W in arrays(i, part).items()}\n    blocks.append(p)\nreturn dict(E=state['embedding.E'], blocks=tuple(blocks), gain=state['stack.final_norm.gain'], bias=state['stack.final_norm.bias'])",
        ],
        [
            ("torch.cat([W[k] for k in range(len(W))], dim=1)", "W.reshape(W.shape[1], -1)", "holds numbers of other rows"),
            ("torch.cat([W[k] for k in range(len(W))], dim=1)", "W.permute(1, 2, 0).flatten(1)", "columns alternate"),
            ("torch.cat([W[k] for k in range(len(W))], dim=1)", "torch.cat(list(W), dim=0)", "stand below each other"),
            ("torch.cat(list(state[at + 'attention.W_O']), dim=0)", "state[at + 'attention.W_O'].transpose(0, 1).flatten(0, 1)", "heads' rows alternate"),
            ("torch.cat(list(state[at + 'attention.W_O']), dim=0)", "state[at + 'attention.W_O']", "three axes still"),
            ("'_1'] = state[at + 'around_attention.norm.' + name]\n        p[name + '_2'] = state[at + 'around_feed_forward.norm.'", "'_2'] = state[at + 'around_attention.norm.' + name]\n        p[name + '_1'] = state[at + 'around_feed_forward.norm.'", "two norms are exchanged"),
            ("str(i)", "'0'", "All your blocks are block 0"),
            ("'gain': state['stack.final_norm.gain'], 'bias': state['stack.final_norm.bias']", "'gain': state['stack.blocks.0.around_attention.norm.gain'], 'bias': state['stack.blocks.0.around_attention.norm.bias']", "last norm is a block's"),
            ("W = state[at + 'attention.' + name]", "W = state[at + 'attention.' + {'W_Q': 'W_K', 'W_K': 'W_Q', 'W_V': 'W_V'}[name]]", "W_Q and W_K are exchanged"),
        ],
    ),
    "draw": (
        [
            "p = torch.softmax(logits / temperature, dim=-1)\nends = torch.cumsum(p, dim=-1)\nreturn (ends <= u.unsqueeze(-1)).sum(dim=-1)",
            "drawn = []\nfor row, at in zip(logits, u):\n    p, token, end = torch.softmax(row / temperature, 0), 0, 0.0\n    while end + p[token] <= at:\n        end += p[token]\n        token += 1\n    drawn.append(token)\nreturn drawn",
            "e = np.exp(np.asarray(logits) / temperature)\nends = np.cumsum(e / e.sum(1, keepdims=True), axis=1)\nreturn np.array([np.searchsorted(row, at, side='right') for row, at in zip(ends, u.numpy())])",
            "ends = (logits / temperature).softmax(-1).cumsum(-1)\nreturn (ends > u[:, None]).double().argmax(-1)",
            "return torch.searchsorted(torch.softmax(logits / temperature, -1).cumsum(-1), u[:, None], right=True).squeeze(1)",
        ],
        [
            ("return torch.argmax(logits, dim=-1)", "`u` should decide"),
            ("logits / temperature", "logits * temperature", "You multiply by the temperature"),
            ("logits / temperature", "logits", "temperature has no effect"),
            ("ends <=", "ends >", "that end behind u"),
            (".sum(dim=-1)", ".sum(dim=-1) - 1", "One too few"),
            (".sum(dim=-1)", ".sum(dim=-1) + 1", "One too many"),
            ("torch.cumsum(p, dim=-1)", "p", "`cumsum` says"),
            ("p = torch.softmax(logits / temperature, dim=-1)\nends = torch.cumsum(p, dim=-1)", "p = torch.softmax(logits / temperature, dim=0)\nends = torch.cumsum(p, dim=0)", "columns sum to 1"),
        ],
    ),
}

MEMORYLESS = {
    "token_of": (
        [
            "ends = np.cumsum(p)\nreturn (u[..., None] >= ends[:-1]).sum(-1)",
            "return np.digitize(u, np.cumsum(p)[:-1])",
            "out = np.zeros(u.shape, dtype=int)\nfor index, x in np.ndenumerate(u):\n    token = 0\n    while x >= p[:token + 1].sum() and token < len(p) - 1:\n        token += 1\n    out[index] = token\nreturn out",
            "return torch.searchsorted(torch.tensor(p).cumsum(0)[:-1], torch.tensor(u), right=True)",
        ],
        [
            (">=", ">", "without its right end"),
            ("return np.floor(u * len(p)).astype(int)", "p is not used"),
            (".sum(-1)", ".sum(-1) + 1", "counted from 0"),
            ("return (u[..., None] >= p).sum(-1)", "with the probabilities themselves"),
            ("return p[np.digitize(u, np.cumsum(p)[:-1])]", "The token is its number"),
            ("return np.digitize(u.flatten(), np.cumsum(p)[:-1])", "the shape of u"),
        ],
    ),
    "shares": (
        [
            "counts = np.zeros(v)\nfor token in tokens:\n    counts[token] += 1\nreturn counts / counts.sum()",
            "return (tokens[:, None] == np.arange(v)).mean(axis=0)",
            "return [list(tokens).count(word) / len(tokens) for word in range(v)]",
            "return torch.bincount(torch.tensor(tokens), minlength=v) / len(tokens)",
        ],
        [
            ("counts / counts.sum()", "counts", "Those are counts"),
            ("counts.sum()", "v", "divide by v"),
            ("return np.bincount(tokens) / len(tokens)", "never came"),
            ("words, counts = np.unique(tokens, return_counts=True)\nreturn counts / counts.sum()", "has no place in your answer"),
            ("counts / counts.sum()", "100 * counts / counts.sum()", "percent"),
        ],
    ),
    "standard_error": (
        [
            "error = np.sqrt(p * (1 - p) / N)\nreturn error",
            "return [(x * (1 - x) / N) ** 0.5 for x in p]",
            "variance = p - p ** 2\nreturn np.sqrt(variance) / np.sqrt(N)",
            "p = torch.as_tensor(p)\nreturn (p * (1 - p) / N).sqrt()",
        ],
        [
            ("np.sqrt(p * (1 - p) / N)", "p * (1 - p) / N", "That is the variance"),
            (" / N)", ") / N", "not N times"),
            ("p * (1 - p)", "p", "p − p²"),
            (" / N", "", "That is one draw"),
            (" / N", " / (N - 1)", "not N − 1"),
        ],
    ),
    "running_mean": (
        [
            "return ((k - 1) * mean + x) / k",
            "weight = 1 / k\nreturn (1 - weight) * mean + weight * x",
            "return np.average([mean, x], axis=0, weights=[k - 1, 1])",
            "return [m + (y - m) / k for m, y in zip(mean, x)]",
            "return torch.lerp(torch.tensor(mean), torch.tensor(x), 1 / k)",
        ],
        [
            ("return (mean + x) / 2", "half of the weight"),
            ("return mean + x / k", "must shrink"),
            ("return (k * mean + x) / (k + 1)", "one array too many"),
            ("return ((k - 1) * x + mean) / k", "The two are exchanged"),
            ("return mean + (x - mean) / np.array(k - 1)", "you divide by 0"),
            ("mean += (x - mean) / k\nreturn mean", "changes its argument 1"),
        ],
    ),
    "paired": (
        [
            "d = b - a\nn = len(d)\nmean = sum(d) / n\nvariance = sum((x - mean) ** 2 for x in d) / (n - 1)\nreturn mean, (variance / n) ** 0.5",
            "d = b - a\nreturn np.array([np.mean(d), np.std(d, ddof=1) / np.sqrt(d.size)])",
            "d = torch.tensor(b - a)\nreturn d.mean(), d.std() / len(d) ** 0.5",
        ],
        [
            ("b - a", "a - b", "You take a − b"),
            ("(variance / n) ** 0.5", "variance ** 0.5", "Divide by √n"),
            ("(n - 1)", "n", "`ddof=1`"),
            ("return b.mean() - a.mean(), ((a.var(ddof=1) + b.var(ddof=1)) / len(a)) ** 0.5", "These are pairs"),
            ("(variance / n) ** 0.5", "variance ** 0.5 / n", "You divide by n"),
            ("return mean, (variance / n) ** 0.5", "return mean", "Two are asked for"),
        ],
    ),
}

UNIVERSALITY = {
    "factor": (
        ["inside = 1 - g * (0.5 - eta)\noutside = theta + g / 2\nreturn max(inside, outside)", "return np.max([1 - g / 2 + g * eta, theta + 0.5 * g])", "a, b = 1 - g * (1 / 2 - eta), theta + g / 2\nreturn a if a > b else b"],
        [
            ("max(inside, outside)", "inside", "Elsewhere the correction"),
            ("max(inside, outside)", "outside", "On U⁺ there is"),
            ("0.5 - eta", "1 - eta", "not g(1 − η)"),
            ("max(", "min(", "The error is the larger"),
            ("0.5 - eta", "0.5 + eta", "short of 1 by η"),
        ],
    ),
    "heights": (
        [
            "F = np.hstack([features, np.ones((len(features), 1))])\nreturn np.linalg.pinv(F) @ values",
            "A = np.c_[features, np.ones(len(values))]\nreturn np.linalg.solve(A.T @ A, A.T @ values)",
            "fm, vm = features.mean(0), values.mean()\nw = np.linalg.lstsq(features - fm, values - vm, rcond=None)[0]\nreturn np.append(w, vm - fm @ w)",
            "A = torch.tensor(np.column_stack([features, np.ones(len(values))]))\nreturn torch.linalg.lstsq(A, torch.tensor(values)[:, None]).solution[:, 0]",
        ],
        [
            ("np.ones", "np.zeros", "column of ones"),
            ("[features, np.ones((len(features), 1))]", "[np.ones((len(features), 1)), features]", "come last"),
            ("w = np.linalg.lstsq(features, values - values.mean(), rcond=None)[0]\nreturn [*w, values.mean()]", "not the mean of the target"),
            ("return np.linalg.lstsq(features, values, rcond=None)[0]", "One number is missing"),
            ("return np.linalg.lstsq(np.c_[features, np.ones(len(values))], values, rcond=None)", "returns four things"),
        ],
    ),
    "fewest": (
        [
            "count, run = 1, []\nfor value in values:\n    run.append(value)\n    if max(run) - min(run) > 2 * eps:\n        count += 1\n        run = [value]\nreturn count",
            "start, count = 0, 0\nwhile start < len(values):\n    spread = np.maximum.accumulate(values[start:]) - np.minimum.accumulate(values[start:])\n    start += np.searchsorted(spread, 2 * eps, side='right')\n    count += 1\nreturn count",
            "if len(values) == 0:\n    return 0\nk = 1\nwhile k < len(values) and np.ptp(values[:k + 1]) <= 2 * eps:\n    k += 1\nreturn 1 + fewest(values[k:], eps)",
        ],
        [
            ("return count", "return count - 1", "one piece more"),
            ("2 * eps", "eps", "within eps of all"),
            ("return int(np.ceil((values.max() - values.min()) / (2 * eps)))", "only rises"),
            ("> 2", ">= 2", "exactly 2 eps"),
            ("return 1 + (np.abs(np.diff(values)) > 2 * eps).sum()", "You compare neighbours"),
            ("max(run) - min(run)", "abs(value - run[0])", "the run's first value"),
        ],
    ),
    "turns": (
        [
            "count, wanted = 0, None\nfor value in values:\n    if value >= a and wanted != '-':\n        count, wanted = count + 1, '-'\n    elif value <= -a and wanted != '+':\n        count, wanted = count + 1, '+'\nreturn count",
            "signs = np.sign(values[np.abs(values) >= a])\nreturn int(len(signs) > 0) + np.count_nonzero(np.diff(signs))",
            "from itertools import groupby\nreturn sum(1 for _ in groupby(v > 0 for v in values if abs(v) >= a))",
        ],
        [
            ("return np.sum(np.abs(values) >= a)", "count once"),
            ("signs = np.sign(values[np.abs(values) >= a])\nreturn np.count_nonzero(np.diff(signs))", "Count the points"),
            ("return 1 + np.count_nonzero(np.diff(np.sign(values[values != 0])))", "do not count"),
            ("signs = np.sign(values[np.abs(values) > a])\nreturn int(len(signs) > 0) + np.count_nonzero(np.diff(signs))", "exactly a or −a"),
            ("signs = np.sign(values[np.abs(values) >= a])\nreturn 1 + np.count_nonzero(np.diff(signs))", "no point to pick"),
        ],
    ),
    "floor_of": (
        ["return (answers.max() - answers.min()) / 2", "low = high = answers[0]\nfor each in answers:\n    low, high = min(low, each), max(high, each)\nreturn 0.5 * (high - low)", "return np.ptp(answers) / 2", "ordered = sorted(answers)\nmiddle = (ordered[0] + ordered[-1]) / 2\nreturn max(abs(x - middle) for x in ordered)"],
        [
            (" / 2", "", "off by half"),
            ("return np.abs(answers - answers.mean()).max()", "best for squares"),
            ("return answers.std()", "typical error"),
            ("- answers.min()", "+ answers.min()", "the best number itself"),
            ("return np.abs(answers).max()", "error of the number 0"),
        ],
    ),
}

GAUSSIAN = {
    "layer": (
        [
            "d = len(S)\nB = C @ S @ M\nA = np.identity(d) + step * B\nreturn A.T @ S @ A",
            "B = step * (C @ S @ M)\nreturn S + B.T @ S + S @ B + B.T @ S @ B",
            "A = step * C.dot(S).dot(M)\nfor i in range(len(A)):\n    A[i, i] += 1\nreturn np.einsum('ki,kl,lj->ij', A, S, A)",
            "S, C, M = map(torch.tensor, (S, C, M))\nA = torch.eye(len(S), dtype=S.dtype) + step * C @ S @ M\nreturn A.T @ S @ A",
        ],
        [
            ("B = step * (C @ S @ M)\nreturn S + B.T @ S + S @ B", "first-order rule"),
            ("np.identity(d) + ", "", "add the identity"),
            ("A.T @ S @ A", "A @ S @ A.T", "Tokens are rows"),
            ("step * B", "B", "step ε is missing"),
            ("np.identity(d) + step", "np.identity(d) - step", "not I − εB"),
            ("C @ S @ M", "M @ S @ C", "C and M are exchanged"),
            ("S += 0.5\nreturn S", "another value"),
        ],
    ),
    "passes": (
        [
            "for count in range(limit):\n    if v >= 1e308:\n        return count\n    f = 1 + beta * v\n    v = v * f * f\nreturn limit",
            "n = 0\nwhile n < limit and v < 1e308:\n    v *= (1 + beta * v) * (1 + beta * v)\n    n += 1\nreturn n",
            "v, n = np.float64(v), 0\nwith np.errstate(over='ignore'):\n    while n < limit and not v >= 1e308:\n        v = v * (1 + beta * v) ** 2\n        n += 1\nreturn n",
            "if v >= 1e308 or limit == 0:\n    return 0\nf = 1 + beta * v\nreturn 1 + passes(v * f * f, beta, limit - 1)",
        ],
        [
            ("v * f * f", "v * f", "by its square"),
            ("return count", "return count + 1", "no pass is needed"),
            ("1 + beta * v", "beta * v", "Each token keeps itself"),
            ("v * f * f", "v * f ** 2", "write `f * f`"),
            ("return count", "return count - 1", "One too few"),
            ("count = 0\nwhile v < 1e308 and count < 10_000:\n    f = 1 + beta * v\n    v, count = v * f * f, count + 1\nreturn count", "At `limit` passes"),
        ],
    ),
    "strength": (
        ["root = np.sqrt(w / v)\nreturn (root - 1) / v", "return (w ** 0.5 * v ** -0.5 - 1) / v", "import math\nreturn (math.sqrt(v * w) - v) / v ** 2"],
        [
            ("np.sqrt(w / v)", "w / v", "Take the root first"),
            ("(root - 1)", "root", "Take 1 away"),
            ("(root - 1) / v", "root - 1", "Divide by v"),
            ("(root - 1) / v", "(root - 1) / w", "*before* it"),
            ("(root - 1)", "(-root - 1)", "negative root"),
        ],
    ),
    "reach": (
        [
            "return np.linalg.norm(C, ord=2) * np.linalg.norm(M, ord=2)",
            "return np.linalg.svd(C, compute_uv=False)[0] * max(np.linalg.svd(M)[1])",
            "return np.prod([np.sqrt(np.linalg.eigvalsh(A @ A.T).max()) for A in (C, M)])",
            "return torch.linalg.matrix_norm(torch.tensor(C), 2) * torch.linalg.matrix_norm(torch.tensor(M), 2)",
        ],
        [
            (", ord=2", "", "Frobenius"),
            ("return np.linalg.norm(C @ M, 2)", "between C and M"),
            ("return abs(np.linalg.eigvals(C)).max() * abs(np.linalg.eigvals(M)).max()", "take singular values"),
            ("return np.linalg.eigvalsh(C.T @ C).max() * np.linalg.eigvalsh(M.T @ M).max()", "take the root"),
            ("=2) *", "=2) +", "They multiply"),
        ],
    ),
    "same_size": (
        [
            "return new * old.trace() / new.trace()",
            "factor = sum(old[i, i] for i in range(len(old))) / sum(new[i, i] for i in range(len(new)))\nreturn [[factor * x for x in row] for row in new]",
            "return np.diag(old).sum() * (new / np.diag(new).sum())",
            "new, old = torch.tensor(new), torch.tensor(old)\nreturn new * (torch.trace(old) / torch.trace(new))",
        ],
        [
            (" * old.trace()", "", "Its trace is now 1"),
            ("old.trace() / new.trace()", "np.sqrt(old.trace() / new.trace())", "right for tokens"),
            ("old.trace() / new.trace()", "new.trace() / old.trace()", "upside down"),
            ("return old", "throws the new cloud away"),
            ("return new * np.linalg.eigvalsh(old).max() / np.linalg.eigvalsh(new).max()", "their sum, the trace"),
            ("new *= old.trace() / new.trace()\nreturn new", "changes its argument 1"),
        ],
    ),
    "growth": (
        ["return 1 + step * np.linalg.norm(M, ord=2)", "return 1 + step * np.linalg.svd(M, compute_uv=False).max()", "return 1 + step * np.linalg.eigvalsh(M.T @ M)[-1] ** 0.5", "return 1 + step * torch.linalg.svdvals(torch.tensor(M))[0]"],
        [
            (", ord=2", "", "Frobenius"),
            ("return 1 + step * np.abs(np.linalg.eigvals(M)).max()", "largest singular value"),
            ("1 + ", "", "add 1"),
            ("return (1 + step * np.linalg.norm(M, ord=2)) ** 2", "That is for variances"),
            ("step * ", "", "step ε is missing"),
        ],
    ),
    "widening": (
        [
            "r = x + step * (x @ V)\nlength = np.linalg.norm(r)\nreturn np.dot(x, r) / length / length",
            "r = [x[j] + step * sum(x[i] * V[i, j] for i in range(2)) for j in range(2)]\nreturn (x[0] * r[0] + x[1] * r[1]) / (r[0] ** 2 + r[1] ** 2)",
            "x, V = torch.tensor(x), torch.tensor(V)\nr = x + step * (x @ V)\nreturn torch.cosine_similarity(x, r, dim=0) / r.norm()",
            "a, b = x @ V @ x, x @ V @ np.array([-x[1], x[0]])\nreturn (1 + step * a) / ((1 + step * a) ** 2 + (step * b) ** 2)",
        ],
        [
            ("np.dot(x, r) / length / length", "1 / length", "cosine is missing"),
            (" / length / length", " / length", "Divide by |r| once more"),
            ("return 1 / (1 + step * (x @ V @ x))", "where xV points along x"),
            ("(x @ V)", "(V @ x)", "not Vx"),
            ("return 1 + step * (x @ V @ x)", "get longer"),
            ("step * (x @ V)", "x @ V", "step ε is missing"),
            ("x + step", "x - step", "The layer adds"),
        ],
    ),
}

AUTOGRAD = {
    "summed": (
        [
            "front = g.ndim - len(shape)\ng = g.sum(axis=tuple(range(front)))\nfor i in range(len(shape)):\n    if shape[i] == 1:\n        g = g.sum(axis=i, keepdims=True)\nreturn g",
            "full = (1,) * (g.ndim - len(shape)) + tuple(shape)\naxes = tuple(i for i, size in enumerate(full) if size == 1)\nreturn np.sum(g, axes, keepdims=True).reshape(shape)",
            "out = np.zeros(shape)\nwhole = np.broadcast_to(np.arange(out.size).reshape(shape), g.shape)\nnp.add.at(out.reshape(-1), whole, g)\nreturn out",
        ],
        [
            ("return g", "Nothing is summed yet"),
            ("g = g.sum(axis=tuple(range(front)))", "pass", "those in front are not yet"),
            ("shape[i] == 1", "False", "those of size 1 are not yet"),
            (".sum(", ".mean(", "mean of the copies"),
            ("return np.resize(g, shape)", "first copies only"),
            ("return np.full(shape, g.sum())", "You sum everything"),
        ],
    ),
    "to_weights": (
        [
            "B = np.swapaxes(A, -1, -2) @ g\nreturn B.sum(axis=tuple(range(B.ndim - 2)))",
            "return np.tensordot(A, g, axes=(list(range(A.ndim - 1)),) * 2)",
            "total = 0\nfor row, slope in zip(A.reshape(-1, A.shape[-1]), g.reshape(-1, g.shape[-1])):\n    total = total + np.outer(row, slope)\nreturn total",
        ],
        [
            ("return A @ g", "A must be transposed"),
            ("np.swapaxes(A, -1, -2) @ g", "np.swapaxes(g, -1, -2) @ A", "That is the transpose"),
            ("return B.sum(axis=tuple(range(B.ndim - 2)))", "return B", "They share B"),
            (".sum(axis=tuple(range(B.ndim - 2)))", ".sum(axis=tuple(range(B.ndim - 2))) / A.shape[-2]", "divide by the number of tokens"),
            (" @ g", " @ np.ones_like(g)", "gradient g is not used"),
            ("np.swapaxes(A, -1, -2)", "np.swapaxes(np.ones_like(A), -1, -2)", "factors A are missing"),
        ],
    ),
    "through_softmax": (
        [
            "return y * g - y * np.sum(y * g, axis=-1)[..., None]",
            "J = np.einsum('...i,ij->...ij', y, np.eye(y.shape[-1])) - y[..., :, None] * y[..., None, :]\nreturn (J @ g[..., None])[..., 0]",
            "return y * (g - np.average(g, axis=-1, weights=y, keepdims=True))",
        ],
        [
            ("return g * y * (1 - y)", "by its own score"),
            ("return y * g", "subtract the average of g"),
            ("return y * (g - g.mean(-1, keepdims=True))", "not evenly"),
            ("return g - (g * y).sum(-1, keepdims=True)", "factor y in front"),
            ("np.sum(y * g, axis=-1)[..., None]", "np.sum(y * g)", "sum over all rows"),
            ("return y * (g - (g * y).sum(0, keepdims=True))", "last axis"),
            ("return y * ((g * y).sum(-1, keepdims=True) - g)", "sign is the other one"),
        ],
    ),
    "from_loss": (
        [
            "g = np.array(p)\nfor i, a in enumerate(answers):\n    g[i, a] = g[i, a] - 1\nreturn g / len(answers)",
            "return (p - (np.arange(p.shape[1]) == np.asarray(answers)[:, None])) / p.shape[0]",
            "return np.array([[(x - (j == a)) / len(p) for j, x in enumerate(row)] for row, a in zip(p, answers)])",
        ],
        [
            (" / len(answers)", "", "divide by the number of tokens"),
            ("return g", "return -g", "leads uphill"),
            ("- 1", "- 0", "1 at the right answers is missing"),
            ("return (p - 1) / len(p)", "subtract 1 from every entry"),
            ("len(answers)", "g.size", "divide by all entries"),
            ("np.array(p)", "np.zeros_like(p)", "p is missing"),
            ("np.array(p)", "p", "changes its argument 1"),
        ],
    ),
    "walk": (
        [
            "n = len(sources)\ngrads = {n - 1: g}\nfor i in range(n - 1, -1, -1):\n    for j, pull in sources[i]:\n        grads[j] = grads.get(j, 0) + pull(grads[i])\nreturn [grads[i] for i in range(n)]",
            "n = len(sources)\ndef by(i):\n    users = [(k, pull) for k in range(i + 1, n) for j, pull in sources[k] if j == i]\n    return g if i == n - 1 else sum(pull(by(k)) for k, pull in users)\nreturn [by(i) for i in range(n)]",
            "parts = [[] for _ in sources]\nparts[-1].append(g)\nfor i, own in list(enumerate(sources))[::-1]:\n    for j, pull in own:\n        parts[j].append(pull(sum(parts[i])))\nreturn [sum(each) for each in parts]",
        ],
        [
            ("grads.get(j, 0) + ", "", "a part from each use"),
            ("pull(grads[i])", "pull(g)", "not that of the loss"),
            ("range(n - 1, -1, -1)", "range(n)", "stopped with `KeyError`"),
            ("grads = {n - 1: g}", "grads = {n - 1: 0}", "Put it there first"),
            ("grads = {n - 1: g}", "grads = {n - 1: 1.0}", "not always 1"),
            ("for i in range(n)]", "for i in range(n - 1, -1, -1)]", "begins with array 0"),
            ("return [grads[i] for i in range(n)]", "return grads[0]", "array 0 alone"),
        ],
    ),
}

OPEN = {
    "worth": (
        [
            "return A.sum(axis=1) ** 2 / np.square(A).sum(axis=1)",
            "found = []\nfor row in A:\n    found.append(sum(row) ** 2 / sum(w * w for w in row))\nreturn found",
            "p = A / A.sum(-1, keepdims=True)\nreturn 1 / np.einsum('ij,ij->i', p, p)",
            "w = torch.from_numpy(A)\nreturn w.sum(-1).square() / w.square().sum(-1)",
        ],
        [
            ("A.sum(axis=1) ** 2", "1", "squared sum"),
            ("A.sum(axis=1) ** 2", "A.sum(axis=1)", "stands squared"),
            ("return np.square(A).sum(axis=1) / A.sum(axis=1) ** 2", "Turned over"),
            ("axis=1", "axis=0", "columns"),
            ("return np.count_nonzero(A, axis=1)", "would count like one of 0.9"),
        ],
    ),
    "copy_score": (
        [
            "total, count = 0, 0\nfor i in range(len(tokens)):\n    for j in range(i - 1, -1, -1):\n        if tokens[j] == tokens[i]:\n            total += A[i, j + 1]\n            count += 1\n            break\nreturn total / count",
            "pairs = [(i, max(j for j in range(i) if tokens[j] == tokens[i]) + 1) for i in range(len(tokens)) if tokens[i] in tokens[:i]]\nreturn np.mean([A[pair] for pair in pairs])",
            "before = [np.flatnonzero(tokens[:i] == t) for i, t in enumerate(tokens)]\ni = [k for k, b in enumerate(before) if b.size]\nreturn torch.tensor(A)[i, [before[k][-1] + 1 for k in i]].mean()",
        ],
        [
            ("A[i, j + 1]", "A[i, j]", "Its follower"),
            ("total / count", "total", "That is the sum"),
            ("total / count", "total / len(tokens)", "in the mean too"),
            ("range(i - 1, -1, -1)", "range(i)", "the first time"),
            ("A[i, j + 1]", "A[j + 1, i]", "exchanged"),
        ],
    ),
    "nucleus": (
        [
            "kept, total = np.zeros_like(p), 0\nfor i in np.argsort(-p, kind='stable'):\n    if total < share - 1e-12:\n        kept[i] = p[i]\n    total += p[i]\nreturn kept / kept.sum()",
            "order = sorted(range(len(p)), key=lambda i: -p[i])\nout, total = [0.0] * len(p), 0.0\nfor i in order:\n    if round(total, 9) >= share:\n        break\n    out[i] = p[i]\n    total += p[i]\nreturn [each / total for each in out]",
            "values, index = torch.tensor(p).sort(descending=True, stable=True)\nvalues[values.cumsum(0) - values > share - 1e-9] = 0\nreturn torch.zeros(len(p), dtype=torch.float64).scatter(0, index, values / values.sum())",
        ],
        [
            ("kept / kept.sum()", "kept", "sum to 1 again"),
            ("kept = np.where(p >= 1 - share, p, 0)\nreturn kept / max(kept.sum(), 1e-9)", "not a bound on each"),
            ("if total < share - 1e-12:\n        kept[i] = p[i]\n    total += p[i]", "total += p[i]\n    if total < share - 1e-12 or not kept.any():\n        kept[i] = p[i]", "One too few"),
            ("total < share - 1e-12", "total <= share + 1e-12", "One too many"),
            ("return kept / kept.sum()", "return np.sort(kept / kept.sum())[::-1]", "at its own place"),
            ("return p / p.sum()", "Nothing was cut"),
        ],
    ),
    "erased": (
        [
            "others = np.delete(heads, head, axis=0)\nreturn x + others.sum(axis=0) + mean",
            "heads = heads.copy()\nheads[head] = mean\nreturn x + heads.sum(0)",
            "out = x + mean\nfor i, each in enumerate(heads):\n    if i != head:\n        out = out + each\nreturn out",
            "h = torch.tensor(heads)\nreturn torch.tensor(x) + h.sum(0) - h[head] + torch.tensor(mean)",
        ],
        [
            (" + mean", "", "nothing in the head's place"),
            ("return x + heads.sum(0) + mean", "still adds what it added"),
            ("return x + ", "return ", "residual path is missing"),
            ("return x + heads[head] + mean", "The other heads are gone"),
            ("return x + mean", "All heads are gone"),
            ("np.delete(heads, head, axis=0)", "np.delete(heads, (head - 1) % len(heads), axis=0)", "counted from 0"),
        ],
    ),
    "way": (
        [
            "return (np.array(D) - B) / (A - B)",
            "whole = A - B\nreturn [[(d - B) / whole for d in row] for row in D]",
            "return 1 - (A - D) / (A - B)",
            "return np.interp(0, [0], [0]) + (torch.tensor(D) - B) / (A - B)",
        ],
        [
            (" / (A - B)", "", "the change in nats"),
            ("return D / A", "Measure from B"),
            ("return (D - A) / (B - A)", "Turned round"),
            (" / (A - B)", " / A", "from B to A"),
            ("(A - B)", "(A + B)", "is A − B"),
        ],
    ),
}

ANSWERS = {
    "sequence_to_sequence": SEQUENCE, "attention_scores": SCORES, "attention_by_hand": BY_HAND, "attention_maps": MAPS, "open_model": OPEN,
    "transformer": TRANSFORMER, "memoryless": MEMORYLESS, "universality": UNIVERSALITY, "gaussian_attention": GAUSSIAN,
    "autograd": AUTOGRAD,
}  # fmt: skip


class Lab:
    """A solved lab: its names, the exercises that ask for a function, and how a learner's function is looked at."""

    def __init__(self, names):
        self.names = {**names, "np": np, "torch": torch}
        self.exercises = {each.name: each for each in names.values() if type(each).__name__ == "Function"}
        self.views = {"step": names.get("both_steps"), "loaded": names.get("its_logits")}

    def learned(self, name, body):
        return written(self.exercises[name], body, self.names)

    def check(self, name, function):
        return self.exercises[name].check((self.views.get(name) or (lambda given: given))(function))


@pytest.fixture(scope="module", params=ANSWERS)
def lab(request):
    with solved(request.param, LEFT_OUT) as names:
        found = Lab(names)
        found.name = request.param
        yield found


def steps(lab):
    assert set(lab.exercises) == set(ANSWERS[lab.name])
    return ANSWERS[lab.name].items()


def test_every_usual_right_program_passes(lab):
    for name, (right, _) in steps(lab):
        assert len(right) >= 2 and lab.exercises[name].solution not in right, name
        for body in right:
            verdict = lab.check(name, lab.learned(name, body))
            assert verdict.correct, f"{name}\n{body}\n{verdict}"


@pytest.mark.filterwarnings("ignore")  # a mistake may divide by 0
def test_every_likely_mistake_is_named(lab, capsys):
    for name, (right, wrong) in steps(lab):
        assert len(wrong) >= 5, name
        for *body, words in wrong:
            assert len(body) == 1 or body[0] in right[0], (name, body)
            function = lab.learned(name, body[0] if len(body) == 1 else right[0].replace(*body))
            verdict = lab.check(name, function)
            assert not verdict.correct and verdict.counts and words in verdict.message, f"{name}: {words}\n{body}\n{verdict}"
            assert verdict.detail.startswith("call:")
        course = object()  # and it does not reach the later steps
        assert checked(lab.exercises[name], course, via=lab.views.get(name) or (lambda given: given))(function) is course
        assert f"the course's {name}" in capsys.readouterr().out


TYPES = {
    "nothing": ("pass", "returned nothing on case 1"),
    "printed": ("print(1.0)", "What it prints is not returned"),
    "text": ("return '1.0'", "not made of numbers: a str is no number"),
    "generator": ("return (x for x in [1.0])", "a generator is no number"),
    "function": ("return abs", "a builtin_function_or_method is no number"),
    "ragged": ("return [[1.0], [1.0, 2.0], []]", "the rows of a list differ in length"),
    "shape": ("return [[[[[1.0]]]]]", "the result has shape [1, 1, 1, 1, 1], expected"),
}


@pytest.mark.parametrize("kind", TYPES)
def test_a_wrong_type_is_shown_as_such(lab, kind):
    body, words = TYPES[kind]
    for name in lab.exercises:
        verdict = lab.check(name, lab.learned(name, body))
        ragged = kind == "ragged" and name == "heights"  # there it is what `lstsq` returns
        assert not verdict.correct and (words in verdict.message or ragged), f"{name}\n{verdict}"


KINDS = {np.ndarray: "array", torch.Tensor: "tensor", dict: "dictionary", list: "list", float: "number", int: "number", np.float64: "number"}


def test_what_is_handed_over_is_what_the_docstring_says(lab):
    """In the blank that the learner gets: the kind of each argument stands there."""
    source = (ROOT / "labs" / f"{lab.name}.myst.md").read_text(encoding="utf-8")
    for name, exercise in lab.exercises.items():
        doc = re.search(rf'def {name}\([^\n]*\):\n    """(.*?)"""', source, re.S)[1].partition("→")[0].lower()
        for case in exercise.cases:
            for given in exercise._given(case):
                word = next((word for kind, word in KINDS.items() if isinstance(given, kind)), "")
                assert word in doc.replace("numbers v", "number v"), (name, word, doc)
