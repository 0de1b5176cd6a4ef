"""The client, `loam`: modules in `src/` that are joined into the one file that agents' machines run."""
