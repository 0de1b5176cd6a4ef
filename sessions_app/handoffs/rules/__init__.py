"""Work items, the last state of a session, and a handoff's text."""
