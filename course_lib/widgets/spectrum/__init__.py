"""Spectrum: eigenvalues or singular values of a random matrix, drawn in the page, against the law that theory gives
them."""

import traitlets

from ..base import CourseWidget


class Spectrum(CourseWidget):
    """One matrix of `course_lib.spectra.Ensemble`, square, and its law: the matrix is computed in the page, from the
    seed.

    Read back, written by the front end when it has drawn (empty until then): result, with distance (Kolmogorov–Smirnov,
    to the law), smallest, largest (of a general matrix' eigenvalues: in size), predicted (place of the outlier, None
    where the mean is 0) and within (how many lie in the law's support, or within 5 % of its width).
    """

    address = traitlets.Unicode("spectrum").tag(sync=True)
    result = traitlets.Dict().tag(sync=True)
