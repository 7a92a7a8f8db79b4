"""Text in, rows of numbers out: tokenisers, vocabularies, padded batches, and the corpora of the course."""
