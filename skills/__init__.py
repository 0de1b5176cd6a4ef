"""Skills that a team has decided to teach its agents, with versions and triggers."""
