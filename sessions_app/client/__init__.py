"""`loam.py`, the one file that agents' machines run: it imports nothing of the project, nor the project it."""
