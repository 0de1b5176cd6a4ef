"""How each agent is started, spoken to and ended, and what it calls its tools."""
