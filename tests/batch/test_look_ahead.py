"""How far a batch job reads ahead, and what a kill may leave of its manifest."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tersely.batch.chunk import Chunk, Lines, Place
from tersely.batch.local import run_local
from tersely.batch.pool import Pool

from batch.corpora import articles, contents, write_corpus
from batch.functions import Shout
from tersely.batch.job import Job
from tersely.batch.records import Records


def test_a_slow_chunk_holds_up_the_reading() -> None:
    taken = 0

    def chunks() -> Iterator[Chunk]:
        nonlocal taken
        for number in range(1, 1000):
            taken = number
            line = json.dumps({"text": "HANG" if number == 1 else "a"}).encode()
            yield Lines(Place(0, number), Place(0, number + 1), 0, [line])

    with Pool(Records(Shout(), "jsonl"), 2, timeout=1) as pool:
        next(iter(pool.run(chunks())))
    # While the first one hangs, the other worker could do all of them: four chunks per worker may be held.
    assert taken == 8


def test_half_a_line_of_the_manifest_is_cut_off(tmp_path: Path) -> None:
    source, out = write_corpus(tmp_path / "in.jsonl", articles(25)), tmp_path / "out"
    job = Job((str(source),), str(out), Shout(), part_size=10)
    run_local(job, 1)
    whole = contents(out)
    manifest = out / "_manifest.jsonl"
    lines = manifest.read_bytes().splitlines(keepends=True)
    manifest.write_bytes(b"".join(lines[:2]) + lines[2][:20])
    run_local(replace(job, resume=True), 1)
    assert contents(out) == whole
