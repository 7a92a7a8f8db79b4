"""The transformer of source R, trained on sequences without memory: one model as published, or many at once.  [Sandron 2024]"""

from course_lib.memoryless.batches import Batches as Batches
from course_lib.memoryless.ensemble import Ensemble as Ensemble
from course_lib.memoryless.model import SourceModel as SourceModel
from course_lib.memoryless.model import Stages as Stages
from course_lib.memoryless.reading import Reading as Reading
from course_lib.memoryless.reading import predictions as predictions
from course_lib.memoryless.reading import read as read
from course_lib.memoryless.sizes import Sizes as Sizes
from course_lib.memoryless.sizes import count as count
from course_lib.memoryless.sizes import shapes as shapes
from course_lib.memoryless.training import Trained as Trained
from course_lib.memoryless.training import Training as Training
from course_lib.memoryless.training import train as train
