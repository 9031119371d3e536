"""Worker processes: one process, a pool that keeps the order (batch, evaluate), a queue with deadlines (serve)."""
