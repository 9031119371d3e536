"""`tersely serve` as a process: its address, its end, its log, its errors."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from serve.service import command, ended, stopped, until, workers_of
from tersely.errors import InputError, UsageError
from tersely.models import DEFAULT
from tersely.serve.access import check_origin, read_tokens
from tersely.serve.run import check_models

BODY = {"text": "One zebra. Two zebras. Red zebra.", "max_chars": 11}


def post(address: str) -> httpx.Response:
    return httpx.post(f"{address}/v1/summarize", json=BODY, timeout=60)


def refuses(address: str) -> bool:
    try:
        return httpx.get(f"{address}/readyz").status_code == 503
    except httpx.TransportError:
        return True


@contextmanager
def hangup(handler: signal.Handlers) -> Iterator[None]:
    """What a hangup does to the processes that are started meanwhile; nohup may have decided on it for all of them."""
    before = signal.signal(signal.SIGHUP, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_lets_finish_what_runs_and_refuses_what_is_new(tmp_path: Path, number: signal.Signals) -> None:
    with hangup(signal.SIG_DFL), command(tmp_path) as (process, address), ThreadPoolExecutor() as threads:
        [worker] = workers_of(process.pid)
        with stopped(worker):
            answer = threads.submit(post, address)
            until(lambda: "tersely_in_flight 1.0" in httpx.get(f"{address}/metrics").text)
            os.kill(worker, number)  # a terminal sends it to both
            process.send_signal(number)
            until(lambda: refuses(address))
            assert process.poll() is None
        assert answer.result().status_code == 200
        assert process.wait(60) == 0
        until(lambda: ended(worker))


def test_who_ignores_the_hangup_is_not_ended_by_it(tmp_path: Path) -> None:
    with hangup(signal.SIG_IGN), command(tmp_path) as (process, address):
        process.send_signal(signal.SIGHUP)
        assert post(address).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_workers_end_with_a_server_that_is_killed(tmp_path: Path) -> None:
    with command(tmp_path) as (process, _):
        [worker] = workers_of(process.pid)
        # A signal to all of them is the server's business.
        os.kill(worker, signal.SIGTERM)
        os.kill(worker, signal.SIGINT)
        assert not ended(worker)
        process.kill()
        until(lambda: ended(worker))


def test_the_log_has_every_request_and_no_text(tmp_path: Path) -> None:
    with command(tmp_path) as (process, address):
        with httpx.Client(base_url=address, headers={"X-Request-ID": "mine-1"}) as client:
            assert client.post("/v1/summarize", json=BODY).headers["x-request-id"] == "mine-1"
            client.post("/v1/summarize", json=BODY | {"zebra": "zebra", "max_words": 3})
            client.post("/v1/batch", json={"documents": [BODY, {"zebra": 1}]})
            client.post("/v1/frontier", content=b'{"zebra', headers={"Content-Type": "application/json"})
            client.get("/zebra/zebra?zebra=zebra", headers={"X-Request-ID": "zebra zebra"})
            client.request("ZEBRA", "/v1/models")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    log = (tmp_path / "log").read_text()
    assert "zebra" not in log.lower()
    lines = [json.loads(line) for line in log.splitlines()]
    mine = [line for line in lines if line.get("request_id") == "mine-1"]
    assert [(line["route"], line["status"]) for line in mine] == [
        ("/v1/summarize", 200),
        ("/v1/summarize", 422),
        ("/v1/batch", 200),
        ("/v1/frontier", 400),
        ("/v1/models", 405),
    ]
    assert all(line["ms"] > 0 for line in mine)
    [other] = [line for line in lines if line.get("route") == "other"]
    assert re.fullmatch("[0-9a-f]{32}", other["request_id"])


def run(*arguments: str) -> tuple[int, str]:
    call = [sys.executable, "-m", "tersely", "serve", "--workers", "1", *arguments]
    process = subprocess.run(call, capture_output=True, text=True, timeout=120, check=False)
    return process.returncode, process.stderr


def test_a_port_in_use_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = run("--port", str(port))
    assert code == 1
    assert said == f"tersely: port {port} of 127.0.0.1 is in use: choose another with --port, or 0 for any\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--model", "nosuch"], 2, "unknown model 'nosuch': "),
        # Only the workers find this out.
        (["--tokenizer", "nowhere"], 1, "no tokenizer at nowhere: give the path of a tokenizer.json"),
        (["--host", "a..b"], 2, "the host 'a..b' is not known: give an address of this machine"),
        (["--deadline", "nan"], 2, "the deadline must be above 0 and at most 86400 seconds, not nan"),
        (["--deadline", "inf"], 2, "the deadline must be above 0 and at most 86400 seconds, not inf"),
        (["--cors", "https://example.org/"], 2, "--cors takes an origin such as https://example.org, without a path"),
    ],
)
def test_a_wrong_setting_ends_with_one_line(arguments: list[str], code: int, said: str) -> None:
    found, lines = run("--port", "0", *arguments)
    assert found == code
    assert lines.splitlines()[-1].startswith(f"tersely: {said}")
    assert "Traceback" not in lines


def test_two_models_of_one_name_cannot_be_told_apart() -> None:
    with pytest.raises(UsageError, match="two models are named"):
        check_models((DEFAULT, DEFAULT))


def test_a_tokens_file_must_be_there_and_have_a_token(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_tokens(file)
    file.write_text("\n \n")
    with pytest.raises(InputError, match="has no token: write one a line"):
        read_tokens(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_tokens(file)
    file.write_text("\ufeffone \r\n\ntwo", encoding="utf-8")
    assert read_tokens(file) == ("one", "two")


@pytest.mark.parametrize(
    "origin", ["example.org", "ftp://example.org", "https://", "https://example.org/x", "null", "http://[::1"]
)
def test_an_origin_is_what_browsers_send(origin: str) -> None:
    with pytest.raises(UsageError, match="--cors takes an origin"):
        check_origin(origin)


def test_without_the_extra_the_command_names_it() -> None:
    code = "import sys; sys.modules['uvicorn'] = None; sys.argv[1:] = ['serve']; from tersely.cli import main; main()"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert process.returncode == 1
    assert process.stderr == "tersely: the service needs an optional dependency: pip install 'tersely[serve]'\n"
