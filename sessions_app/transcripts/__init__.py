"""Read the transcripts of agents: decisions, plans, files, errors."""
