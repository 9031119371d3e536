"""The paper: its published numbers, its tables and figures measured anew."""
