"""Forms of knowledge's pages."""
