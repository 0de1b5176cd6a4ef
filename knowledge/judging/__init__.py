"""Judge deposits: whether a note is new, a repetition, a replacement, or one whose agent has to be asked."""
