"""The scorer: found in the words of a corpus, trained by a siamese network, or through the exact knapsack.

Only the networks need the extra `train`: import what is needed from the modules.
"""
