"""Notes, tables and vault pages on their way in and out."""
