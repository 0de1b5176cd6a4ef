"""All SQL of knowledge."""
