"""Reading transcripts of agents: decisions, plans, files, errors."""
