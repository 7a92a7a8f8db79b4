"""PyTorch functions as graphs that run in the page: traced once, with symbolic sizes, computed there by graph.js."""

from course_lib.graphs.catalogue import CATALOGUE, STRUCTURES
from course_lib.graphs.random import Generator
from course_lib.graphs.trace import dumps, operators, trace
from course_lib.graphs.training import TokenModel, masked_cross_entropy, name_of
