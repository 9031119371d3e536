"""Files: written whole or not at all, read plain or compressed, on a disk or in an object store."""
