"""The last bits of what a page begins with, moved on purpose: what then comes out otherwise is decided by rounding.

`move_last_bits()` runs in the kernel of a notebook (kernel_start.py, where COURSE_MOVE_LAST_BITS is set). From then on
random draws and grids are up or down by one last bit, in NumPy and in PyTorch, but for binary fractions of ten places.
Which way is told by the number itself, so that equal numbers stay equal and a page's generators go on as they would.
What a page types is left as it is: its widgets store it.
"""


def move_last_bits() -> None:
    import functools

    import numpy as np
    import torch

    make_array = np.asarray
    INTEGERS = {np.dtype(np.float32): np.uint32, np.dtype(np.float64): np.uint64}

    def moved_array(values):
        if isinstance(values, float):
            return float(moved_array(make_array(values)))
        if not isinstance(values, np.ndarray | np.floating) or values.dtype not in INTEGERS:
            return values
        exact = (values * 1024 == np.rint(values * 1024)) | ~np.isfinite(values)
        bits = np.ascontiguousarray(values).view(INTEGERS[values.dtype]).astype(np.uint64)
        up = (bits * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(63) == 1
        ends = np.where(up.reshape(np.shape(values)), np.inf, -np.inf).astype(values.dtype)
        moved = np.where(exact, values, np.nextafter(values, ends))
        return moved if isinstance(values, np.ndarray) else moved[()]

    def moved_tensor(values):
        if values.dtype in (torch.float32, torch.float64):
            with torch.no_grad():
                values.copy_(torch.from_numpy(make_array(moved_array(values.detach().numpy()))))
        return values

    def after(function, move):
        @functools.wraps(function)
        def moved(*arguments, **options):
            return move(function(*arguments, **options))

        return moved

    class Generator(np.random.Generator):
        """NumPy's, whose draws from a continuum are moved."""

    for name in (
        "random",
        "standard_normal",
        "normal",
        "uniform",
        "exponential",
        "gamma",
        "dirichlet",
        "multivariate_normal",
    ):
        setattr(Generator, name, after(getattr(np.random.Generator, name), moved_array))

    def default_rng(seed=None):
        given = isinstance(seed, np.random.Generator | np.random.BitGenerator)
        return seed if given else Generator(np.random.PCG64(seed))

    np.random.Generator, np.random.default_rng = Generator, default_rng
    np.linspace, torch.linspace = after(np.linspace, moved_array), after(torch.linspace, moved_tensor)
    for name in ("randn", "rand", "normal"):
        setattr(torch, name, after(getattr(torch, name), moved_tensor))
    for name in ("normal_", "uniform_"):
        setattr(torch.Tensor, name, after(getattr(torch.Tensor, name), moved_tensor))
