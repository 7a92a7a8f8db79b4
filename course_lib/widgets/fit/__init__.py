"""A fit to play with: a network learns noisy points of a wave in the page, and its three errors are told."""

from functools import cache

import traitlets

from ..base import CourseWidget, graph


class Fit(CourseWidget):
    """One hidden layer of tanh neurons, trained in the page by Adam on noisy points of sin 5x: the run of
    `course_lib.graphs.fit`.

    Training points, 20 validation points and 500 test points are drawn anew by another seed, and so are the first
    weights.
    """

    address = traitlets.Unicode("fit").tag(sync=True)

    def __init__(self, *values: object, **chosen: object) -> None:
        super().__init__(*values, blobs=blobs(), **chosen)


@cache
def blobs() -> dict[str, bytes]:
    """The front end's data: the training step and Adam."""
    return {name: graph(name) for name in ("fit", "adam")}
