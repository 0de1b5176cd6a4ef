"""How an insight rises and falls: ratings, use, decay, staleness; what members seem to prefer."""
