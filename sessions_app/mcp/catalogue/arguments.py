"""Arguments that many tools take, with their descriptions and schemas."""

SESSION = "Your Loam session's id"
TEAM = "Team slug, or personal; only if you have several"
REPO = "owner/name"
STRING = {"type": "string"}
BOOLEAN = {"type": "boolean"}
NUMBER = {"type": "integer"}
STRINGS = {"type": "array", "items": STRING}
