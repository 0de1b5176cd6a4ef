"""`manage.py benchmark`: how fast Loam answers."""
