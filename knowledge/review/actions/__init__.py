"""One act of a person each, with its undoing."""
