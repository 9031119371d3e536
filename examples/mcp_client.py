"""What an assistant does with `tersely mcp`: start it, ask for its tools, and call one."""

import sys
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters, stdio_client

TEXT = Path(__file__).with_name("harbor.txt").read_text(encoding="utf-8")


async def main() -> None:
    """Shorten a text with respect to a question."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "tersely", "mcp"])
    async with Client(stdio_client(server)) as client:
        print([tool.name for tool in (await client.list_tools()).tools])
        question = "What will the plan cost?"
        result = await client.call_tool("fit", {"text": TEXT, "max_chars": 250, "query": question, "offsets": True})
        print(result.content[0].text)
        print(result.structured_content["sentences"])


anyio.run(main)
