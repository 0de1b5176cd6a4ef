"""Read a transcript by explicit markers and a few patterns."""
