"""Pure functions of retrieval: scoring, filtering and ordering the insights of an answer."""
