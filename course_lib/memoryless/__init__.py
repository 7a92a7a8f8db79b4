"""The transformer of source R, trained on sequences without memory: one model as published, or many at once.  [Sandron
2024]"""

from course_lib.memoryless.batches import Batches
from course_lib.memoryless.ensemble import Ensemble
from course_lib.memoryless.model import SourceModel, Stages
from course_lib.memoryless.predictions import Reading, predictions, read
from course_lib.memoryless.sizes import Sizes, count, shapes
from course_lib.memoryless.training import Trained, Training, train
