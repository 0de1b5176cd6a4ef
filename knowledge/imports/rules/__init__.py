"""Reading notes and tables."""
