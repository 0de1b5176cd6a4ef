"""Arguments that many tools take: what they are, in the same words, and their shapes."""

SESSION = "Your Loam session's id"
TEAM = "Team slug, or personal; only if you have several"
REPO = "owner/name"
STRING = {"type": "string"}
BOOLEAN = {"type": "boolean"}
NUMBER = {"type": "integer"}
STRINGS = {"type": "array", "items": STRING}
