"""Work items, the last state of a session, and the text of a handoff."""
