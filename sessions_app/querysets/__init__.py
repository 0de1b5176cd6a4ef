"""All SQL of sessions and conversations."""
