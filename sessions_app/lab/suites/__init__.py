"""The suites of `manage.py evaluate`, by name."""
