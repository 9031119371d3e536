"""Fits any text to any length, in the text's own words."""

__version__ = "0.1.0"
