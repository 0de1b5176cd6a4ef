"""Deposit what a transcript holds for the team, and import past sessions."""
