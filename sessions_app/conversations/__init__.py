"""Conversations: the passages of sessions, whose they are, and how they are written, shared and forgotten."""
