"""The service: summaries over HTTP, and the page (extra `serve`)."""
