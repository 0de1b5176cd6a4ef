"""Build an answer to a question or a prompt."""
