"""What a deposit is to what the team knows: new, the same, a replacement, or a question for its agent."""
