"""One JSON object a line on standard error: what was asked for and what came of it, never any of the text."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from tersely.serve.worker import Failed

_LOGGER = logging.getLogger("tersely.serve")


class JsonLines(logging.Formatter):
    """Writes a record as one line; of an exception only its type and where it was raised."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= getattr(record, "fields", {})
        if record.exc_info and record.exc_info[1] is not None:
            line |= _described(Failed.of(record.exc_info[1]))
        return json.dumps(line, ensure_ascii=False)


def set_up() -> None:
    """Send what the service and the HTTP server have to say to standard error, as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name, level in (("tersely.serve", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)


def info(event: str, **fields: Any) -> None:
    """Log something usual."""
    _LOGGER.info(event, extra={"fields": fields})


def failure(failed: Failed, **fields: Any) -> None:
    """Log something unforeseen."""
    _LOGGER.error("failure", extra={"fields": fields | _described(failed)})


def warning(event: str) -> None:
    """Log something that an operator may want to look into."""
    _LOGGER.warning(event, extra={"fields": {}})


def _described(failed: Failed) -> dict[str, Any]:
    return {"error": failed.kind, "traceback": list(failed.frames)}
