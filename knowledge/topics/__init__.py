"""Topics: groups of insights by meaning, which keep their identity from night to night."""
