"""Scorers of other papers, one class per module; they load by name, as the scorers in `tersely.score` do."""
