"""REST of knowledge."""
