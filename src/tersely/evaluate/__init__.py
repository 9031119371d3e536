"""Systems and data become tables: readers, measures, significance, the paper's tables, human evaluation."""
