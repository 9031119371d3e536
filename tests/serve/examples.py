"""Update the answers in src/tersely/serve/examples.json: python tests/serve/examples.py."""

import json
from pathlib import Path

from tersely.models import DEFAULT
from tersely.serve import schema
from tersely.serve.desk import Desk
from tersely.serve.problems import Reply

FILE = Path(schema.__file__).with_name("examples.json")
BODIES = {
    "summarize": schema.SummarizeBody,
    "frontier": schema.FrontierBody,
    "batch": schema.BatchBody,
    "verify": schema.VerifyBody,
    "json": schema.JsonBody,
}


def main() -> None:
    desk = Desk((DEFAULT,))
    for task, example in schema.EXAMPLES.items():
        reply = desk((task, BODIES[task].model_validate(example["request"]).request()))
        assert isinstance(reply, Reply), reply
        example["answer"] = json.loads(reply.body)
    FILE.write_text(json.dumps(schema.EXAMPLES, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
