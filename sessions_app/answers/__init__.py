"""What an agent is told: the text of an answer, what surfaces unasked, coaching."""
