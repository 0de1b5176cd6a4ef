"""Search, what is made of its rows, and the upkeep of its indexes."""
