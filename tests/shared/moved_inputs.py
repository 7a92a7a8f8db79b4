"""The last bits of what a page begins with, moved on purpose: what then comes out otherwise is decided by rounding.

`move_last_bits()` runs in the kernel of a notebook (kernel_start.py, where COURSE_MOVE_LAST_BITS is set). From then on
random draws, grids, and typed numbers that no binary fraction of ten places hits, are up or down by one last bit, in
NumPy and in PyTorch. Which way is a draw of its own, so that a page's generators go on as they would.
"""


def move_last_bits() -> None:
    import functools

    import numpy as np
    import torch

    chance = np.random.Generator(np.random.PCG64(2026))
    make_array = np.asarray

    def moved_array(values):
        if isinstance(values, float):
            return float(moved_array(make_array(values)))
        if not isinstance(values, np.ndarray | np.floating) or values.dtype not in (np.float32, np.float64):
            return values
        exact = (values * 1024 == np.rint(values * 1024)) | ~np.isfinite(values)
        ends = np.where(chance.random(np.shape(values)) < 0.5, -np.inf, np.inf).astype(values.dtype)
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
        return (
            Generator(np.random.PCG64(seed))
            if not isinstance(seed, np.random.Generator | np.random.BitGenerator)
            else seed
        )

    np.random.Generator, np.random.default_rng = Generator, default_rng
    for name in ("array", "linspace"):
        setattr(np, name, after(getattr(np, name), moved_array))
    for name in ("randn", "rand", "normal", "tensor", "linspace"):
        setattr(torch, name, after(getattr(torch, name), moved_tensor))
    for name in ("normal_", "uniform_"):
        setattr(torch.Tensor, name, after(getattr(torch.Tensor, name), moved_tensor))
