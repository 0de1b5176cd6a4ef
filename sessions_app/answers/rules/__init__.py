"""Packing, fences, gates and wording of the texts that models read."""
