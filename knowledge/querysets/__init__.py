"""The querysets of `knowledge`, with all its SQL."""
