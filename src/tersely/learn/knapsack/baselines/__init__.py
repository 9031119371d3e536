"""The other rows of the paper's Table 1, trained and measured as the knapsack transformer is: by `python -m` this."""
