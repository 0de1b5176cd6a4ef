"""Import of notes, tables and vault pages, and the pages of a vault."""
