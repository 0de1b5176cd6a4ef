"""Write, recover, offer, read and take over a handoff."""
