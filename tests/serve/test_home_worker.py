"""Which worker a request goes to."""

import httpx

from serve.service import running, stopped


def test_every_text_has_its_worker() -> None:
    texts = [f"Fish number {i}. Another one." for i in range(20)]
    with running(workers=2, deadline=20.0) as server:
        for busy in (0, 1):
            with stopped(server.pool.pids[busy]):
                # The other one answers all of its texts; one that went to the busy worker would not be answered.
                for text in (text for text in texts if hash(text) % 2 != busy):
                    body = {"text": text, "max_chars": 20}
                    answer = httpx.post(f"{server.address}/v1/summarize", json=body, timeout=60)
                    assert answer.status_code == 200
