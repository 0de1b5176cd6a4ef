"""The laboratory: evaluation, benchmark, demo and synthetic corpora. No request and no job needs it."""
