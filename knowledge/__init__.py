"""What the team knows: insights, how they are written down, found, ranked and kept alive."""
