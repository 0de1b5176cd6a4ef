"""What a transcript holds for the team, and import of past sessions."""
