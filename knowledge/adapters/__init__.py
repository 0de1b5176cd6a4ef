"""The outside world of `knowledge`: models, and the files that they are made of."""
