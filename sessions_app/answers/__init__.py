"""Build what an agent is told: the text of an answer, the notes surfaced for a prompt, and coaching."""
