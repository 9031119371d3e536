"""Training: what made the shipped networks. Needs the extra `train`; nothing on the inference path imports it."""
