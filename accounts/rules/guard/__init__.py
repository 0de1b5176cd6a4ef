"""The guard: what no text may carry into the store, and what is masked. `detection` is the way in."""
