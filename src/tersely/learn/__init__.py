"""Training, which made the shipped models. Networks need the extra `train`; inference imports nothing from here."""
