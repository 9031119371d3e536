"""A whole corpus, from files to files: on the cores of one machine, or on a cluster."""
