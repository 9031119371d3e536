"""Evaluation: read a dataset, run systems over it, measure and compare them, and have people rate summaries."""
