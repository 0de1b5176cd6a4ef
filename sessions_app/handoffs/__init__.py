"""Handoffs: what a session leaves for the next one, how it is recovered, and to whom it is offered."""
