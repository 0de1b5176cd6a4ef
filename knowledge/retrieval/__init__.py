"""Search: from a question to ranked and explained insights, or to no answer."""
