"""From a question to a ranked, explained answer, or to none."""
