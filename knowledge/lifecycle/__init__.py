"""The life of an insight: ratings, use, decay, staleness; and the preferences inferred from what members do."""
