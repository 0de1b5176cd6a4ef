"""Strength, status, staleness and inferred preferences as arithmetic."""
