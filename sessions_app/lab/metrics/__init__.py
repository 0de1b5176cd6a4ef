"""Figures and tables computed from results; no database."""
