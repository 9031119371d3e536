"""Reading zstd frames one after the other, and noticing where a file was cut off."""

import io
from typing import IO, Any

from tersely.errors import MissingExtraError


def zstandard() -> Any:
    """Return the module, or say which extra brings it."""
    try:
        import zstandard as module
    except ImportError:
        raise MissingExtraError("reading and writing .zst files", "batch") from None
    return module


# Four bytes may stand for 128 kB: so much is taken in at once as gives no more than 64 MB.
STEP = 1 << 11


class ZstdReader(io.RawIOBase):
    """The bytes of all frames of a stream; the module's own reader takes a file that was cut off for a whole one."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw, self._module = raw, zstandard()
        self._frame: Any = None
        self._packed = b""
        self._held = memoryview(b"")

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes, as many as there are at hand."""
        while not self._held:
            self._packed = self._packed or self._raw.read(STEP)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("the zstd file ends too early")
                return 0
            self._frame = self._frame or self._module.ZstdDecompressor().decompressobj()
            self._held = memoryview(self._frame.decompress(self._packed))
            self._packed = b""
            if self._frame.eof:
                self._packed, self._frame = self._frame.unused_data, None
        taken, self._held = self._held[: len(buffer)], self._held[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)
