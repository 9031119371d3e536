"""Requests made from the OpenAPI document, good and bad: every answer is as the document says."""

import asyncio
from typing import Any

import httpx
import schemathesis
from hypothesis import settings
from schemathesis import checks

from tersely.serve.app import make_app
from tersely.serve.run import Server
from tersely.serve.settings import Settings

# Whether a sentence or a model exists is not for a schema to say: what it allows may still be refused.
LEFT_OUT = [checks.positive_data_acceptance]


async def document() -> dict[str, Any]:
    transport = httpx.ASGITransport(make_app(Settings()))
    async with httpx.AsyncClient(transport=transport, base_url="http://tersely") as client:
        found: dict[str, Any] = (await client.get("/openapi.json")).json()
        return found


schema = schemathesis.openapi.from_dict(asyncio.run(document()))


@schema.parametrize()
@settings(max_examples=25)
def test_every_answer_is_as_the_document_says(server: Server, case: schemathesis.Case) -> None:
    case.call_and_validate(base_url=server.address, excluded_checks=LEFT_OUT)
