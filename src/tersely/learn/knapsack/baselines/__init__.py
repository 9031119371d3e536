"""The other rows of the paper's Table 1, trained and measured like the knapsack transformer; run with `python -m`."""
