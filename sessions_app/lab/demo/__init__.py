"""`manage.py demo`: a team to look at."""
