"""Runs of the product on labelled data, each with its figures."""
