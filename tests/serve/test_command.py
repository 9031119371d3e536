"""`tersely serve` as a process: its address, how it stops, its log, its errors."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from serve.service import command, ended, get, stopped, until, workers_of
from tersely.cli.serve import serve
from tersely.errors import InputError, UsageError
from tersely.models import DEFAULT
from tersely.serve.server import ServeOptions, check_models, check_origin, read_tokens

BODY = {"text": "One zebra. Two zebras. Red zebra.", "max_chars": 11}


def post(address: str) -> httpx.Response:
    return httpx.post(f"{address}/v1/summarize", json=BODY, timeout=60)


def refuses(address: str) -> bool:
    try:
        return get(f"{address}/readyz").status_code == 503
    except httpx.TransportError:
        return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_finishes_running_requests_and_refuses_new_ones(tmp_path: Path, number: signal.Signals) -> None:
    with command(tmp_path) as (process, address), ThreadPoolExecutor() as threads:
        [worker] = workers_of(process.pid)
        with stopped(worker):
            answer = threads.submit(post, address)
            until(lambda: "tersely_in_flight 1.0" in get(f"{address}/metrics").text)
            os.kill(worker, number)  # it may go to every process of the service
            process.send_signal(number)
            until(lambda: refuses(address))
            assert process.poll() is None
        assert answer.result().status_code == 200
        assert answer.result().headers["connection"] == "close"
        assert process.wait(60) == 0
        until(lambda: ended(worker))


def test_an_ignored_hangup_does_not_stop_it(tmp_path: Path) -> None:
    with command(tmp_path, ignored=(signal.SIGHUP,)) as (process, address):
        process.send_signal(signal.SIGHUP)
        assert post(address).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_workers_end_when_their_server_is_killed(tmp_path: Path) -> None:
    with command(tmp_path) as (process, _):
        [worker] = workers_of(process.pid)
        # Only the server reacts to a signal sent to all of them.
        os.kill(worker, signal.SIGTERM)
        os.kill(worker, signal.SIGINT)
        assert not ended(worker)
        process.kill()
        until(lambda: ended(worker))


def test_the_log_has_every_request_but_no_text(tmp_path: Path) -> None:
    with command(tmp_path) as (process, address):
        with httpx.Client(base_url=address, timeout=60, headers={"X-Request-ID": "mine-1"}) as client:
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
    assert code == 3
    assert said == f"tersely: port {port} of 127.0.0.1 is in use: choose another with --port, or 0 for any\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--model", "nosuch"], 2, "unknown model 'nosuch': "),
        # Only the workers notice this.
        (["--tokenizer", "nowhere"], 3, "'nowhere' is neither a file, nor a model or an encoding that tiktoken knows"),
        (["--host", "0.0.0.0"], 2, "other machines can reach 0.0.0.0: add --tokens-file FILE, or --insecure if "),
        (["--allow-host", "http://a.org"], 2, "--allow-host takes * or a name such as example.org, "),
        (["--host", "a..b"], 2, "unknown host 'a..b': give an address of this machine"),
        (["--deadline", "nan"], 2, "the deadline must be above 0 and at most 86400 seconds, not nan"),
        (["--deadline", "inf"], 2, "the deadline must be above 0 and at most 86400 seconds, not inf"),
        (
            ["--cors", "https://example.org/"],
            2,
            "--cors takes * or an origin such as https://example.org, ",
        ),
    ],
)
def test_a_wrong_option_is_one_line(arguments: list[str], code: int, said: str) -> None:
    found, lines = run("--port", "0", *arguments)
    assert found == code
    assert lines.splitlines()[-1].startswith(f"tersely: {said}")
    assert "Traceback" not in lines


def test_the_flags_have_the_defaults_of_the_library() -> None:
    defaults = ServeOptions()
    flags = {flag.name: flag.default for flag in serve.params if isinstance(flag.default, str | int | float)}
    assert flags.keys() >= {"host", "port", "queue", "deadline", "max_body", "max_file"}
    assert flags == {name: getattr(defaults, str(name)) for name in flags}


def test_two_models_with_the_same_name_are_refused() -> None:
    with pytest.raises(UsageError, match="two models are named"):
        check_models((DEFAULT, DEFAULT))


def test_a_tokens_file_must_exist_and_have_a_token(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_tokens(file)
    file.write_text("\n \n")
    with pytest.raises(InputError, match="has no tokens: write one per line"):
        read_tokens(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_tokens(file)
    file.write_text("\ufeffone \r\n\ntwo", encoding="utf-8")
    assert read_tokens(file) == ("one", "two")


@pytest.mark.parametrize(
    "origin", ["example.org", "ftp://example.org", "https://", "https://example.org/x", "null", "http://[::1"]
)
def test_an_origin_must_be_what_browsers_send(origin: str) -> None:
    with pytest.raises(UsageError, match="--cors takes"):
        check_origin(origin)


def test_a_missing_extra_is_named() -> None:
    code = "import sys; sys.modules['uvicorn'] = None; sys.argv[1:] = ['serve']; from tersely.cli import main; main()"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert process.returncode == 3
    assert process.stderr == "tersely: the service needs an optional dependency: pip install 'tersely[serve]'\n"
