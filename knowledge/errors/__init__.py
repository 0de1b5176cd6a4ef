"""Error messages and stack traces: what an error is called on every machine."""
