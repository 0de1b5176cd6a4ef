"""Pages of what the team knows."""
