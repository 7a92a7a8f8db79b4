"""What a layer costs, as formulas: operations, bytes, steps that wait for each other, and how far a token is heard.

**FLOPs** are those of matrix products: a product [a, b] [b, c] costs 2abc, one multiplication and one addition a term,
as PyTorch's `FlopCounterMode` counts them. Softmax, norms, activations, biases, masks and the scale are not counted: in
full
attention that is about h n² exponentials beside 4 n² d FLOPs. Backward, each product becomes two of the same size: a
training step costs 3 times the forward FLOPs (`TRAINING`; the RNN saves one product with its zero state, 2d² FLOPs).

**Bytes** are those of float32 numbers (`FLOAT` = 4) that the forward pass keeps for the backward pass, one sequence,
without parameters, as this course's own functions keep them. The peak of a step is higher, by gradients and scratch.

Tokens n, width d, heads h of width m = d/h, as everywhere. Nothing here imports torch.
"""

from typing import NamedTuple

from course_lib import checks

FLOAT = 4
TRAINING = 3


class Cost(NamedTuple):
    """One layer on n tokens, forward: FLOPs, bytes kept, sequential steps, layers until each token has heard of all.

    A recurrent layer hears of all before. Steps are the matrix products that wait for each other; how a product, or the
    sum in a softmax, is itself cut into steps is left to the processor.
    """

    flops: int
    kept: int
    steps: int
    path: int


def rnn(n: int, d: int) -> Cost:
    """Plain recurrent layer, d → d: s W_s waits for s before it. Its longest path is one layer, but n steps of it."""
    checks.positive_ints(n=n, d=d)
    return Cost(4 * n * d * d, FLOAT * (2 * n + 1) * d, n, 1)


def convolution(n: int, d: int, k: int) -> Cost:
    """1-D convolution over k tokens (k odd and ≥ 3: a middle, and neighbours), d → d."""
    checks.positive_ints(n=n, d=d, k=k)
    if k % 2 == 0 or k < 3:
        checks.fail("k", "an odd int ≥ 3: a middle, and neighbours", k)
    return Cost(2 * k * n * d * d, FLOAT * n * d, 1, window_path(n, (k - 1) // 2))


def full(n: int, d: int, h: int = 1) -> Cost:
    """softmax(QKᵀ/√m)V without the projections: two products of n²d terms. Keeps q, k, v and h maps [n, n]."""
    checks.positive_ints(n=n, d=d, h=h)
    return Cost(4 * n * n * d, FLOAT * (3 * n * d + h * n * n), 2, 1)


def blockwise(n: int, d: int, h: int = 1) -> Cost:
    """Full attention whose weights are never stored: each block's are made again on the way back, two more n²d FLOPs
    there.

    Keeps q, k, v, the output, and the logarithm of each row's sum, [h, n].  [Dao et al. 2022, algorithms 1 and 4]
    """
    checks.positive_ints(n=n, d=d, h=h)
    return Cost(4 * n * n * d, FLOAT * (4 * n * d + h * n), 2, 1)


def window(n: int, d: int, radius: int, h: int = 1) -> Cost:
    """Attention to keys at distance ≤ radius, computed in blocks of `radius` with 3·radius candidates a query.

    `window_pairs` counts what the mask leaves of them. Kept: q, three copies of k and v, h maps of n · 3·radius
    weights.
    """
    checks.positive_ints(n=n, d=d, radius=radius, h=h)
    radius = min(radius, n)
    rows, width = _up(n, radius), 3 * radius
    return Cost(4 * rows * width * d, FLOAT * rows * (7 * d + h * width), 2, window_path(n, radius))


def strided(n: int, d: int, stride: int, h: int = 1) -> Cost:
    """Attention to the own block of `stride` tokens and the first of each. Kept: q, k, v, h maps of n (stride +
    n/stride)."""
    checks.positive_ints(n=n, d=d, stride=stride, h=h)
    stride = min(stride, n)
    rows = _up(n, stride)
    width = stride + rows // stride
    return Cost(4 * rows * width * d, FLOAT * rows * (3 * d + h * width), 2, 1 if n <= stride else 2)


def linear(n: int, d: int, h: int = 1) -> Cost:
    """φ(Q)(φ(K)ᵀV) and its normaliser. Kept: q, k, v, φ(q), φ(k), the quotient's two parts; the state, Σφ(k)."""
    checks.positive_ints(n=n, d=d, h=h)
    m = _width(d, h)
    return Cost(4 * n * d * m + 2 * n * d, FLOAT * (6 * n * d + n * h + d * m + d), 2, 1)


def window_pairs(n: int, radius: int) -> int:
    """Pairs (query, key) of n tokens at distance ≤ radius: n(2·radius + 1) less radius(radius + 1) at the ends."""
    checks.positive_ints(n=n, radius=radius)
    radius = min(radius, n - 1)
    return n * (2 * radius + 1) - radius * (radius + 1)


def window_path(n: int, radius: int) -> int:
    """Layers until the last of n tokens has heard of the first, each reaching `radius` tokens: ⌈(n-1)/radius⌉, and 1 at
    least."""
    checks.positive_ints(n=n, radius=radius)
    return max(1, -(-(n - 1) // radius))


class Transformer(NamedTuple):
    """A stack of encoder blocks on one sequence of n tokens: forward FLOPs by part, bytes kept for backward by part.

    `projections` are X W_Q, X W_K, X W_V and the product with W_O, `attention` the two products with n² in them,
    `feed_forward` its two products. `maps` are the attention weights, `tokens` everything of n rows, `parameters` the
    float32 parameters.
    """

    projections: int
    attention: int
    feed_forward: int
    maps: int
    tokens: int
    parameters: int

    @property
    def flops(self) -> int:
        """Forward; a training step takes `TRAINING` times as many."""
        return self.projections + self.attention + self.feed_forward

    @property
    def bytes(self) -> int:
        """Parameters, and what a training step keeps for backward; no gradients, no optimiser, no scratch."""
        return self.maps + self.tokens + self.parameters


def transformer(n: int, d: int, h: int, layers: int, r: int | None = None) -> Transformer:
    """`layers` blocks of full attention (h heads of width d/h) and a feed-forward layer of width r, 4d unless given.

    For each layer: projections 8nd², attention 4n²d, feed-forward 4ndr FLOPs; maps hn², tokens n(8d + r + 4) floats;
    parameters 4d² + 2dr + r + 5d. No embedding and no read-out. ValueError where h does not divide d.
    """
    r = 4 * d if r is None else r
    checks.positive_ints(n=n, d=d, h=h, layers=layers, r=r)
    _width(d, h)
    tokens = n * (8 * d + r + 4)  # the inputs of the maps and norms, q, k, v, the joined heads, relu, 2 numbers a norm
    parameters = 4 * d * d + 2 * d * r + r + 5 * d
    flops = 8 * n * d * d, 4 * n * n * d, 4 * n * d * r
    return Transformer(*(layers * x for x in (*flops, FLOAT * h * n * n, FLOAT * tokens, FLOAT * parameters)))


def crossing(d: int, r: int | None = None) -> int:
    """The n at which attention's 4n²d FLOPs equal all others of a Transformer layer, 8nd² + 4ndr: n = 2d + r; 6d for r
    = 4d."""
    r = 4 * d if r is None else r
    checks.positive_ints(d=d, r=r)
    return 2 * d + r


class Device(NamedTuple):
    """A processor: FLOPs a second, bytes it holds, bytes a second between its memory and itself."""

    name: str
    flops: float
    memory: float
    bandwidth: float


# Single precision. 9.5e12 is what Vaswani et al. 2017 (note 5) take a P100 to sustain; NVIDIA's data sheet says 10.6e12
# at most for the P100 with NVLink, with 16 GB (counted in 2^30) and 732e9 bytes a second.
P100 = Device("P100", 9.5e12, 16 * 2.0**30, 732e9)
P100_PEAK = P100._replace(name="P100, peak", flops=10.6e12)
# The card with SXM socket: bfloat16 products without sparsity (half of the sheet's 1979e12), 80 GB, 3.35e12 bytes a
# second.  [NVIDIA's data sheet]
H100 = Device("H100", 989e12, 80e9, 3.35e12)


def seconds(flops: float, moved: float = 0.0, device: Device = P100) -> float:
    """The least time for these FLOPs and for `moved` bytes to or from memory: whichever of the two takes longer.

    With the default 0 it is FLOPs over the peak, as Vaswani et al. reckon, backwards: their FLOPs are time · devices ·
    peak.
    """
    for name, value in (("flops", flops), ("moved", moved)):
        checks.number(name, value)
        if value < 0:
            checks.fail(name, "a number ≥ 0", value)
    return max(flops / device.flops, moved / device.bandwidth)


def longest(d: int, h: int, layers: int, r: int | None = None, device: Device = P100) -> int:
    """The most tokens of one sequence whose training step `transformer(n, …).bytes` fits into the device's memory; 0:
    none."""
    fits = lambda n: transformer(n, d, h, layers, r).bytes <= device.memory
    if not fits(1):
        return 0
    low, high = 1, 2
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _width(d: int, h: int) -> int:
    if d % h:
        checks.fail("h", f"a divisor of d = {d}", h)
    return d // h


def _up(n: int, size: int) -> int:
    """n rounded up to whole blocks."""
    return -(-n // size) * size
