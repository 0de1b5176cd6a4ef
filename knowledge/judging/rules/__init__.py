"""Comparing two notes without a language model."""
