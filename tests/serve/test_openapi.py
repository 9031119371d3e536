"""Requests generated from the OpenAPI document, good and bad: every answer is what the document says."""

from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import settings
from schemathesis import checks

from apart import run_apart
from tersely.serve.server import ServeOptions, Server, make_app, make_queue

# A schema cannot say whether a sentence or a model exists, so what it allows may still be refused.
LEFT_OUT = [checks.positive_data_acceptance]


async def document() -> dict[str, Any]:
    options = ServeOptions()
    transport = httpx.ASGITransport(make_app(options, make_queue(options)))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        found: dict[str, Any] = (await client.get("/openapi.json")).json()
        return found


@pytest.fixture
def described(request: pytest.FixtureRequest) -> schemathesis.BaseSchema:
    request.node._nodeid = request.node.nodeid  # schemathesis looks for it where older versions of pytest had it
    return schemathesis.openapi.from_dict(run_apart(document()))


# Every test process collects all tests: the requests are generated only where this one runs.
schema = schemathesis.pytest.from_fixture("described")


def test_operations_have_names_that_a_generated_client_can_use() -> None:
    paths = run_apart(document())["paths"]
    names = {operation["operationId"] for methods in paths.values() for operation in methods.values()}
    assert {"summarize", "frontier", "batch", "models"} <= names
    assert all(name.isidentifier() and len(name) < 20 for name in names)


@schema.parametrize()
@settings(max_examples=15)
def test_every_answer_matches_the_document(server: Server, case: schemathesis.Case) -> None:
    case.call_and_validate(base_url=server.address, excluded_checks=LEFT_OUT)
