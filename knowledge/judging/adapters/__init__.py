"""The judges of open pairs, and the embedder's calibration."""
