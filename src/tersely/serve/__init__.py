"""The service: summaries over HTTP, and the page (extra `serve`).

A request passes the layers (`middleware`), then its route (`api`), which reads its body (`bodies`) and puts it into the
queue of the workers (`tersely.workers.queue`); in a worker, the `desk` answers it. `app` puts these together.
"""
