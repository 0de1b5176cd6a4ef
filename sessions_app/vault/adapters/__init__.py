"""The folder that a vault is."""
