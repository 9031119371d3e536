"""The paper: its published figures, and its tables and figure measured again."""
