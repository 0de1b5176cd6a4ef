"""Reading two notes against each other, without a model of language."""
