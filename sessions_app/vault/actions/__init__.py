"""The vault over the pages of every app."""
