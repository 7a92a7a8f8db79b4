"""The lab that builds a block: its checks know right from wrong, its solutions pass, its blanks fall back on the same
model."""

import copy
import re

import pytest
import torch

from course_lib.shipped import town_model
from course_lib.transformer.positions import sinusoidal
from tests.book.every_lab import EveryLab
from tests.shared.lab_notebook import printed, tables

ANSWERS = {
    "layer_norm": (
        [
            (
                "centred = x - x.mean(dim=-1, keepdim=True)\n"
                "var = (centred ** 2).mean(dim=-1, keepdim=True)\n"
                "return gain * centred / torch.sqrt(var + 1e-5) + bias"
            ),
            "return F.layer_norm(x, (x.shape[-1],), weight=gain, bias=bias, eps=1e-5)",
            (
                "if x.ndim > 1:\n"
                "    return torch.stack([layer_norm(row, gain, bias) for row in x])\n"
                "d = len(x)\n"
                "mean = sum(x) / d\n"
                "var = sum((v - mean) ** 2 for v in x) / d\n"
                "return torch.stack([(v - mean) / (var + 1e-5) ** 0.5 for v in x]) * gain + bias"
            ),
            (
                "std, mean = torch.std_mean(x, dim=-1, correction=0, keepdim=True)\n"
                "return (x - mean) * torch.rsqrt(std ** 2 + 1e-5) * gain + bias"
            ),
        ],
        [
            ("(centred ** 2).mean(dim=-1, keepdim=True)", "x.var(dim=-1, keepdim=True)", "divides by d − 1"),
            (
                "return gain * (x - x.mean()) / torch.sqrt(((x - x.mean()) ** 2).mean() + 1e-5) + bias",
                "over all tokens together",
            ),
            ("torch.sqrt(var + 1e-5)", "(var + 1e-5)", "square root is missing"),
            ("gain * ", "", "gain is missing"),
            (" + bias", "", "bias is missing"),
            (" + 1e-5", "", "under the root is missing"),
            ("torch.sqrt(var + 1e-5)", "(torch.sqrt(var) + 1e-5)", "belongs under the root"),
            (
                (
                    "x -= x.mean(-1, keepdim=True)\nreturn gain * x / ((x * x).mean(-1, keepdim=True) + 1e-5).sqrt() + "
                    "bias"
                ),
                "changes its argument 1",
            ),
        ],
    ),
    "attention": (
        [
            (
                "n, m = q.shape[-2:]\nS = q @ k.transpose(-2, -1) / m ** 0.5\nS = torch.where(causal_mask(n), S, "
                "float('-inf'))\nreturn S.softmax(dim=-1) @ v"
            ),
            (
                "rows = []\n"
                "for i in range(q.shape[-2]):\n"
                "    s = (k[..., :i + 1, :] * q[..., i:i + 1, :]).sum(-1) / q.shape[-1] ** 0.5\n"
                "    rows.append((torch.softmax(s, -1)[..., None] * v[..., :i + 1, :]).sum(-2))\n"
                "return torch.stack(rows, -2)"
            ),
            (
                "S = torch.einsum('...im,...jm->...ij', q, k) / torch.tensor(q.shape[-1]).sqrt()\nS = S + "
                "torch.full(S.shape[-2:], -torch.inf).triu(1)\nA = S.exp()\nreturn A / A.sum(-1, keepdim=True) @ v"
            ),
            "return F.scaled_dot_product_attention(q, k, v, attn_mask=causal_mask(q.shape[-2]))",
        ],
        [
            ("torch.where(causal_mask(n), S, float('-inf'))", "S", "mask is missing"),
            (" / m ** 0.5", "", "not divided by √m"),
            (
                "return (torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) * causal_mask(len(q))) @ v",
                "behind the softmax",
            ),
            ("return torch.softmax(q @ k.mT, -1) @ v", "Two things are missing"),
            ("m ** 0.5", "m", "You divide by m"),
            (
                "torch.where(causal_mask(n), S, float('-inf'))",
                "S.masked_fill(causal_mask(n), -torch.inf)",
                "turned round",
            ),
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
            (
                "q = split(x @ p['W_Q'], h)\nk = split(x @ p['W_K'], h)\nv = split(x @ p['W_V'], h)\nreturn "
                "join(attention(q, k, v)) @ p['W_O']"
            ),
            (
                "m, out = x.shape[-1] // h, 0\n"
                "for i in range(h):\n"
                "    c = slice(i * m, (i + 1) * m)\n"
                "    y = attention(x @ p['W_Q'][:, c], x @ p['W_K'][:, c], x @ p['W_V'][:, c])\n"
                "    out = out + y @ p['W_O'][c]\n"
                "return out"
            ),
            (
                "qkv = x @ torch.cat([p['W_Q'], p['W_K'], p['W_V']], 1)\n"
                "q, k, v = (split(part, h) for part in qkv.chunk(3, -1))\n"
                "return F.linear(join(F.scaled_dot_product_attention(q, k, v, is_causal=True)), p['W_O'].T)"
            ),
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
            (
                "out = p['b_2'].expand(x.shape)\nfor k in range(len(p['b_1'])):\n    out = out + (x @ p['W_1'][:, k] + "
                "p['b_1'][k]).clamp(min=0)[..., None] * p['W_2'][k]\nreturn out"
            ),
        ],
        [
            ("F.relu", "", "one linear map"),
            (
                "return hidden @ p['W_2'] + p['b_2']",
                "return F.relu(hidden @ p['W_2'] + p['b_2'])",
                "not at the end too",
            ),
            (" + p['b_1']", "", "b_1 is missing"),
            (" + p['b_2']", "", "b_2 is missing"),
            ("F.relu(x @ p['W_1'] + p['b_1'])", "F.relu(x) @ p['W_1'] + p['b_1']", "not x"),
            (
                "return hidden @ p['W_2'] + p['b_2']",
                "return (hidden @ p['W_2'] + p['b_2']).numpy()",
                "later steps need a `Tensor`",
            ),
        ],
    ),
    "wired": (
        [
            "y = layer_norm(x, gain, bias)\nreturn x + f(y)",
            "return torch.add(f(F.layer_norm(x, gain.shape, gain, bias)), x)",
        ],
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
            (
                "def look(y):\n    return self_attention(y, p, h)\ndef think(y):\n    return feed_forward(y, p)\nx = "
                "wire(x, look, p['gain_1'], p['bias_1'])\nx = wire(x, think, p['gain_2'], p['bias_2'])\nreturn x"
            ),
            (
                "for i, f in enumerate((lambda y: self_attention(y, p, h), lambda y: feed_forward(y, p)), start=1):\n"
                "    x = wire(x, f, p[f'gain_{i}'], p[f'bias_{i}'])\n"
                "return x"
            ),
        ],
        [
            ("return x", "x = wire(x, look, p['gain_1'], p['bias_1'])\nreturn x", "another value"),
            (
                (
                    "for i, f in ((2, lambda y: feed_forward(y, p)), (1, lambda y: self_attention(y, p, h))):\n"
                    "    x = wire(x, f, p[f'gain_{i}'], p[f'bias_{i}'])\n"
                    "return x"
                ),
                "your order is the opposite",
            ),
            ("p['gain_2'], p['bias_2']", "p['gain_1'], p['bias_1']", "its own norm"),
            ("x = wire(x, think, p['gain_2'], p['bias_2'])\n", "", "feed-forward layer is missing"),
            ("x = wire(x, look,", "y = wire(x, look,", "thrown away"),
            ("wire(x,", "wired(x,", "`wire` is not used"),
        ],
    ),
    "language_model": (
        [
            (
                "E, n = model['E'], tokens.shape[-1]\n"
                "x = E[tokens] * E.shape[1] ** 0.5 + P[:n]\n"
                "for p in model['blocks']:\n"
                "    x = block(x, p, h, wire)\n"
                "x = layer_norm(x, model['gain'], model['bias'])\n"
                "return x @ E.T"
            ),
            (
                "from functools import reduce\n"
                "E = model['E']\n"
                "x = F.embedding(tokens, E) * torch.tensor(E.shape[-1]).sqrt()\n"
                "x = x + P[torch.arange(tokens.shape[-1])]\n"
                "x = reduce(lambda y, p: block(y, p, h, wire), model['blocks'], x)\n"
                "return F.linear(layer_norm(x, model['gain'], model['bias']), E)"
            ),
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
            (
                "p = torch.log_softmax(logits, dim=-1)\n"
                "losses = -p.gather(-1, answers.unsqueeze(-1)).squeeze(-1)\n"
                "mask = (answers != 0).double()\n"
                "return (losses * mask).sum() / mask.sum()"
            ),
            "return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), answers.reshape(-1), ignore_index=0)",
            (
                "total, count = 0.0, 0\n"
                "for row, answer in zip(logits.flatten(0, -2), answers.flatten()):\n"
                "    if answer != 0:\n"
                "        total = total + torch.logsumexp(row, 0) - row[answer]\n"
                "        count += 1\n"
                "return total / count"
            ),
        ],
        [
            ("return (losses * mask).sum() / mask.sum()", "return losses.mean()", "padding and must not count"),
            ("mask.sum()", "answers.numel()", "divide by all places"),
            (" / mask.sum()", "", "That is the sum"),
            ("-p.gather", "p.gather", "the sign is not"),
            ("torch.log_softmax(logits, dim=-1)", "logits", "log-softmax first"),
            (
                "return (losses * mask).sum() / mask.sum()",
                "return ((losses * mask).sum() / mask.sum()).item()",
                "later steps need a `Tensor`",
            ),
        ],
    ),
    "train": (
        [
            (
                "losses = []\n"
                "for step in range(1, steps + 1):\n"
                "    optimiser.zero_grad()\n"
                "    loss = loss_at(step)\n"
                "    loss.backward()\n"
                "    optimiser.step()\n"
                "    losses.append(float(loss))\n"
                "return losses"
            ),
            (
                "losses, step = torch.zeros(steps), 0\n"
                "while step < steps:\n"
                "    step += 1\n"
                "    loss = loss_at(step)\n"
                "    loss.backward()\n"
                "    losses[step - 1] = loss.detach()\n"
                "    optimiser.step()\n"
                "    optimiser.zero_grad(set_to_none=True)\n"
                "return losses"
            ),
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
            (
                "blocks = []\n"
                "for i in range(layers):\n"
                "    at = 'stack.blocks.' + str(i) + '.'\n"
                "    p = {}\n"
                "    for name in ('W_Q', 'W_K', 'W_V'):\n"
                "        W = state[at + 'attention.' + name]\n"
                "        p[name] = torch.cat([W[k] for k in range(len(W))], dim=1)\n"
                "    p['W_O'] = torch.cat(list(state[at + 'attention.W_O']), dim=0)\n"
                "    for name in ('W_1', 'b_1', 'W_2', 'b_2'):\n"
                "        p[name] = state[at + 'feed_forward.' + name]\n"
                "    for name in ('gain', 'bias'):\n"
                "        p[name + '_1'] = state[at + 'around_attention.norm.' + name]\n"
                "        p[name + '_2'] = state[at + 'around_feed_forward.norm.' + name]\n"
                "    blocks.append(p)\n"
                "return {'E': state['embedding.E'], 'blocks': blocks, 'gain': state['stack.final_norm.gain'], 'bias': "
                "state['stack.final_norm.bias']}"
            ),
            (
                "new = {'attention.W_Q': 'W_Q', 'attention.W_K': 'W_K', 'attention.W_V': 'W_V', 'attention.W_O': "
                "'W_O'}\n"
                "new |= {f'feed_forward.{w}': w for w in ('W_1', 'b_1', 'W_2', 'b_2')}\n"
                "new |= {f'around_{part}.norm.{w}': f'{w}_{k}' for k, part in ((1, 'attention'), (2, 'feed_forward')) "
                "for w in ('gain', 'bias')}\n"
                "model = {'blocks': [{} for _ in range(layers)]}\n"
                "for name, W in state.items():\n"
                "    parts = name.split('.', 3)\n"
                "    if parts[:2] == ['stack', 'blocks']:\n"
                "        mine = new[parts[3]]\n"
                "        if W.ndim == 3:\n"
                "            W = W.reshape(-1, W.shape[-1]) if mine == 'W_O' else W.permute(1, 0, "
                "2).reshape(W.shape[1], -1)\n"
                "        model['blocks'][int(parts[2])][mine] = W\n"
                "    else:\n"
                "        model[name.split('.')[-1]] = W\n"
                "return model"
            ),
            (
                "def arrays(i, part):\n"
                "    at = f'stack.blocks.{i}.{part}.'\n"
                "    return {name.removeprefix(at): W.clone() for name, W in state.items() if name.startswith(at)}\n"
                "blocks = []\n"
                "for i in range(layers):\n"
                "    a = arrays(i, 'attention')\n"
                "    p = {k: torch.einsum('hdm->dhm', a[k]).flatten(1) for k in ('W_Q', 'W_K', 'W_V')} | {'W_O': "
                "torch.vstack(tuple(a['W_O']))}\n"
                "    p |= arrays(i, 'feed_forward')\n"
                "    for k, part in enumerate(('around_attention.norm', 'around_feed_forward.norm'), 1):\n"
                "        p |= {f'{name}_{k}': W for name, W in arrays(i, part).items()}\n"
                "    blocks.append(p)\n"
                "return dict(E=state['embedding.E'], blocks=tuple(blocks), gain=state['stack.final_norm.gain'], "
                "bias=state['stack.final_norm.bias'])"
            ),
        ],
        [
            (
                "torch.cat([W[k] for k in range(len(W))], dim=1)",
                "W.reshape(W.shape[1], -1)",
                "holds numbers of other rows",
            ),
            ("torch.cat([W[k] for k in range(len(W))], dim=1)", "W.permute(1, 2, 0).flatten(1)", "columns alternate"),
            ("torch.cat([W[k] for k in range(len(W))], dim=1)", "torch.cat(list(W), dim=0)", "stand below each other"),
            (
                "torch.cat(list(state[at + 'attention.W_O']), dim=0)",
                "state[at + 'attention.W_O'].transpose(0, 1).flatten(0, 1)",
                "heads' rows alternate",
            ),
            ("torch.cat(list(state[at + 'attention.W_O']), dim=0)", "state[at + 'attention.W_O']", "three axes still"),
            (
                (
                    "'_1'] = state[at + 'around_attention.norm.' + name]\n        p[name + '_2'] = state[at + "
                    "'around_feed_forward.norm.'"
                ),
                (
                    "'_2'] = state[at + 'around_attention.norm.' + name]\n        p[name + '_1'] = state[at + "
                    "'around_feed_forward.norm.'"
                ),
                "two norms are exchanged",
            ),
            ("str(i)", "'0'", "All your blocks are block 0"),
            (
                "'gain': state['stack.final_norm.gain'], 'bias': state['stack.final_norm.bias']",
                (
                    "'gain': state['stack.blocks.0.around_attention.norm.gain'], 'bias': "
                    "state['stack.blocks.0.around_attention.norm.bias']"
                ),
                "last norm is a block's",
            ),
            (
                "W = state[at + 'attention.' + name]",
                "W = state[at + 'attention.' + {'W_Q': 'W_K', 'W_K': 'W_Q', 'W_V': 'W_V'}[name]]",
                "W_Q and W_K are exchanged",
            ),
        ],
    ),
    "draw": (
        [
            (
                "p = torch.softmax(logits / temperature, dim=-1)\nends = torch.cumsum(p, dim=-1)\nreturn (ends <= "
                "u.unsqueeze(-1)).sum(dim=-1)"
            ),
            (
                "drawn = []\n"
                "for row, at in zip(logits, u):\n"
                "    p, token, end = torch.softmax(row / temperature, 0), 0, 0.0\n"
                "    while end + p[token] <= at:\n"
                "        end += p[token]\n"
                "        token += 1\n"
                "    drawn.append(token)\n"
                "return drawn"
            ),
            (
                "e = np.exp(np.asarray(logits) / temperature)\nends = np.cumsum(e / e.sum(1, keepdims=True), "
                "axis=1)\nreturn np.array([np.searchsorted(row, at, side='right') for row, at in zip(ends, u.numpy())])"
            ),
            "ends = (logits / temperature).softmax(-1).cumsum(-1)\nreturn (ends > u[:, None]).double().argmax(-1)",
            (
                "return torch.searchsorted(torch.softmax(logits / temperature, -1).cumsum(-1), u[:, None], "
                "right=True).squeeze(1)"
            ),
        ],
        [
            ("return torch.argmax(logits, dim=-1)", "`u` should decide"),
            ("logits / temperature", "logits * temperature", "You multiply by the temperature"),
            ("logits / temperature", "logits", "temperature has no effect"),
            ("ends <=", "ends >", "that end behind u"),
            (".sum(dim=-1)", ".sum(dim=-1) - 1", "One too few"),
            (".sum(dim=-1)", ".sum(dim=-1) + 1", "One too many"),
            ("torch.cumsum(p, dim=-1)", "p", "`cumsum` says"),
            (
                "p = torch.softmax(logits / temperature, dim=-1)\nends = torch.cumsum(p, dim=-1)",
                "p = torch.softmax(logits / temperature, dim=0)\nends = torch.cumsum(p, dim=0)",
                "columns sum to 1",
            ),
        ],
    ),
}


class TestLab(EveryLab):
    name = "transformer"
    left_out = r"\bask\(|held_out_loss\(|random_model\(|in found|interactive\(|plots\.|towns\(\)|town_model\(|invent\("
    answers = ANSWERS
    lines, fallbacks = 12, 15


def test_gradients_pass_through_every_parameter(lab):
    """Held to central differences: a detached piece would pass every check of values."""
    model = lab["weights_of_model"](
        6, 2, 4, 6, lambda *shape: torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))
    )
    tokens, answers, P = torch.tensor([[1, 4, 5]]), torch.tensor([[4, 5, 2]]), lab["table"]
    parameters = [model["E"], model["gain"], model["bias"], *(W for p in model["blocks"] for W in p.values())]
    for W in parameters:
        W.requires_grad_()
    assert torch.autograd.gradcheck(
        lambda *_: lab["surprise"](lab["language_model"](tokens, model, 2, P), answers),
        parameters,
        rtol=1e-4,
        atol=1e-7,
    )


def test_the_shipped_weights_give_the_librarys_logits_in_the_labs_code(lab):
    """To 1e-10, on tokens drawn by chance; one wrong matrix moves them by far more."""
    shipped = copy.deepcopy(town_model().model).double()
    shipped.embedding.P = sinusoidal(512, 64)  # the buffer may have been made in float32
    state, tokens = shipped.state_dict(), torch.randint(69, (4, 20), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        right = shipped(tokens).logits
        ours = lab["loaded"](state, 3)
        assert (lab["language_model"](tokens, ours, 4, sinusoidal(80, 64)) - right).abs().max() < 1e-10
        W = state["stack.blocks.2.attention.W_V"]
        ours["blocks"][2]["W_V"] = W.reshape(W.shape[1], -1)
        assert (lab["language_model"](tokens, ours, 4, sinusoidal(80, 64)) - right).abs().max() > 0.1


def test_draw_draws_each_token_as_often_as_its_probability_says(lab):
    u = (torch.arange(100_000) + 0.5) / 100_000
    logits = torch.tensor([0.3, -1.0, 2.0, 0.0])
    found = lab["draw"](logits.expand(len(u), 4), 0.7, u).bincount(minlength=4) / len(u)
    assert found.tolist() == pytest.approx(torch.softmax(logits / 0.7, 0).tolist(), abs=2e-5)


def rows(caption: str) -> dict[str, list[float]]:
    """The rows of a table of the solved lab."""
    body = tables(f"labs/solutions/{TestLab.name}").split(caption)[1].splitlines()[3:7]
    return {line.split()[0]: [float(x) for x in line.split()[1:]] for line in body}


def test_the_page_says_what_the_ablations_found():
    """The paragraphs below the tables, and what the positions page proves: one causal block does not see the order, two
    do."""
    without, after = rows("Trained without it"), rows("Taken out after training")
    costs = {
        part: [round(x - y, 2) for x, y in zip(without[part], without["nothing"], strict=True)] for part in without
    }
    rises = {part: [round(x - y, 2) for x, y in zip(after[part], after["nothing"], strict=True)] for part in after}
    assert (
        min(costs["sums"]) >= 0.15
        and min(costs["norms"]) >= 0.02
        and max(costs["norms"]) <= 0.04
        and max(costs["positions"]) <= 0
    )
    assert min(rises["positions"]) > 0 and all(
        rise > 10 * cost for rise, cost in zip(rises["norms"], costs["norms"], strict=True)
    )
    assert all(4 < loss < 4.23 for loss in after["sums"])
    text = printed(f"labs/solutions/{TestLab.name}")
    one, two = (float(x) for x in re.findall(r"blocks: \d, logits move by ([\d.]+)", text))
    assert one == 0 and two > 0.1
    assert "1.716 nats; its file says 1.716" in text and re.search(
        r"the library's and yours: equal to within 1e-1[0-9]", text
    )
