"""Rate, use and validate insights, and let them fade each night."""
