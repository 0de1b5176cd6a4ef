"""Suggested edits: what a member proposes to change in an insight, and what a lead makes of it."""
