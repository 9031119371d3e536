"""A scorer with a network: trained on texts by the paper's siamese objectives, on words, or by imitating a teacher.

It needs the extra `train`, except for its configuration.
"""
