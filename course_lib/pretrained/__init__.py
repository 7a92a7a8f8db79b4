"""Two real, published models, written out in short PyTorch: an encoder of 2020 (`minilm`) and a decoder of 2024
(`smollm`).

Their weights come as ordinary Python packages, which are optional: `files` says how to install them. Nothing is fetched
when a page runs. Both models use the course's own `attend`; everything else they need stands in their one file.
"""
