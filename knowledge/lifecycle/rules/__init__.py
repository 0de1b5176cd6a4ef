"""Compute strength, status, staleness and inferred preferences."""
