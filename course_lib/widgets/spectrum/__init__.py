"""Spectrum: eigenvalues or singular values of a random matrix, drawn in the page, against the law that theory gives them."""

import traitlets

from .. import settings
from ..base import Checked, CourseWidget

WORDS = {
    "entries": ("gaussian", "uniform", "centred"),
    "form": ("symmetric", "general", "product"),
    "divisor": ("none", "root", "full"),
    "values": ("eigenvalues", "singular values"),
}
WHOLE = {"n": (10, 300), "seed": (0, 9999)}


class Spectrum(CourseWidget):
    """One matrix of `course_lib.spectra.Ensemble`, square, and its law: the matrix is computed in the page, from the seed.

    n: 10 … 300. entries: "gaussian" N(0, 1), "uniform" U(0, 1), "centred" U(-1, 1). form: "symmetric" (the lower triangle of W
    mirrored), "general" (W), "product" (W Wᵀ). divisor: "none" 1, "root" √n, "full" n. values: "eigenvalues" (of a general matrix
    complex: they are drawn in the plane) or "singular values". centre: True takes the mean off the entries. seed: 0 … 9999, of
    `course_lib.graphs.random.Generator`, which fills W row by row.

    The reader can change everything; all can be set from Python too. ValueError names the argument.

    Read back, written by the front end when it has drawn (empty until then): result, with distance (Kolmogorov–Smirnov, to the
    law), smallest, largest (of a general matrix' eigenvalues: in size), predicted (place of the outlier, None where the mean is 0)
    and within (how many lie in the law's support, or within 5 % of its width).
    """

    bundle_name = "spectrum"

    n = Checked().tag(sync=True)
    entries = Checked().tag(sync=True)
    form = Checked().tag(sync=True)
    divisor = Checked().tag(sync=True)
    values = Checked().tag(sync=True)
    centre = Checked().tag(sync=True)
    seed = Checked().tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        n: int = 200,
        entries: str = "gaussian",
        form: str = "symmetric",
        divisor: str = "root",
        *,
        values: str = "eigenvalues",
        centre: bool = False,
        seed: int = 0,
        address: str = "spectrum",
    ) -> None:
        super().__init__(n=n, entries=entries, form=form, divisor=divisor, values=values, centre=centre, seed=seed, address=address)

    _check_word = settings.checked(settings.option, WORDS)
    _check_whole = settings.checked(settings.whole, WHOLE)
    _check_centre = settings.checked(settings.flag, ["centre"])
