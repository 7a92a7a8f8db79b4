"""Settings that every test shares: one thread, and property tests that give the same cases on every machine."""

import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("course", derandomize=True, deadline=None, print_blob=True, max_examples=40)
settings.load_profile("course")
