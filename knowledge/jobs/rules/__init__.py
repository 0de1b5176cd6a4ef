"""What must be true of the store."""
