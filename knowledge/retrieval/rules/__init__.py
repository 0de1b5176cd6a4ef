"""What a rank is made of, and which of an answer's insights leads."""
