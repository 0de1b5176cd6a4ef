"""Handoffs: what a session leaves, how it is recovered, and to whom it is offered."""
