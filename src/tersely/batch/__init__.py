"""Whole corpora, file to file: on the cores of one machine, or on a cluster."""
