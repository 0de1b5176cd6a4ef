"""Fingerprints of errors, and errors pasted into questions."""
