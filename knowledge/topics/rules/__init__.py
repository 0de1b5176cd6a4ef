"""Clusters, labels and the layout of the map."""
