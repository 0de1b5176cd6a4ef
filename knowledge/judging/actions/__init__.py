"""Deposit, and the relations that agents and the server state between insights."""
