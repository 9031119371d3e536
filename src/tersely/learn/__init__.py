"""Training: what made the shipped models. Networks need the extra `train`; nothing on the inference path imports it."""
