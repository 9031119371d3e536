"""Readers' ratings of summaries: one blinded form for all raters, and the table their answers make."""
