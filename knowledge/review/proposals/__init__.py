"""Suggested edits: a member suggests a change of an insight, and a lead approves or rejects it."""
