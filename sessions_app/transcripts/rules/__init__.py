"""What a transcript says, by explicit markers and few patterns."""
