"""What a table is measured on: the test split of a dataset, found in every layout, and never training data."""

import json
from hashlib import sha1
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from tersely.cli.reproduce import Reproduction
from tersely.cli.reproduce import command as reproduce
from tersely.errors import InputError
from tersely.paper.published import find_datasets


def _touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def test_the_test_split_of_a_dataset_is_found_with_all_its_shards(tmp_path: Path) -> None:
    _touch(tmp_path, "cnndm.train.0.json", "cnndm.test.0.json", "cnndm.test.1.json", "nyt/eval_corefner/1")
    _touch(tmp_path, "nyt/eval_abstracts/1", "nyt/train_corefner/2", "nyt/train_abstracts/2")
    splits = find_datasets(tmp_path)
    assert {name: part.paths for name, part in splits.items()} == {
        "cnndm": (tmp_path / "cnndm.test.*.json",),
        "nyt": (tmp_path / "nyt" / "eval_corefner",),
    }
    assert [file.name for file in splits["cnndm"].files()] == ["cnndm.test.0.json", "cnndm.test.1.json"]
    with pytest.raises(InputError, match="not a folder"):
        find_datasets(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("names", "dataset", "read"),
    [
        (
            [
                "cnn_dailymail/{}.0.0/{}-0000{}-of-00002.parquet".format(*part)
                for part in product((1, 3), ("train", "validation", "test"), (0, 1))
            ],
            "cnndm",
            "cnn_dailymail/3.0.0/test-*-of-*.parquet",
        ),
        (
            [f"CNewSum_v2/final/{split}.simple.label.jsonl" for split in ("train", "dev", "test")],
            "cnewsum",
            "CNewSum_v2/final/test.simple.label.jsonl",
        ),
        (["cnndm/train/a.jsonl", "cnndm/dev/a.jsonl"], "cnndm", "cnndm/dev/a.jsonl"),
        (["any_text/a.train.jsonl", "nyt50/test.jsonl"], "nyt", "nyt50/test.jsonl"),
    ],
)
def test_layouts_as_published_are_read_by_their_test_split(
    names: list[str], dataset: str, read: str, tmp_path: Path
) -> None:
    _touch(tmp_path, *names)
    splits = find_datasets(tmp_path)
    assert {name: part.paths for name, part in splits.items()} == {dataset: (tmp_path / read,)}
    assert splits[dataset].split == ("validation" if "dev" in read else "test")


def test_stories_are_split_by_the_list_of_urls(tmp_path: Path, english: str) -> None:
    urls = [f"http://web.archive.org/{i}" for i in range(6)]
    for i, url in enumerate(urls):
        story = tmp_path / ("cnn", "dailymail")[i % 2] / "stories" / f"{sha1(url.encode()).hexdigest()}.story"
        story.parent.mkdir(parents=True, exist_ok=True)
        story.write_text(f"{english}\n\n@highlight\n\nThe harbor will close to cars")
    run = CliRunner().invoke(reproduce, ["table2", "--data", str(tmp_path)])
    assert "may hold training data" in str(run.exception)
    assert "list of its URLs" in str(run.exception)
    _touch(tmp_path, "url_lists/all_train.txt")
    (tmp_path / "url_lists" / "all_test.txt").write_text("\n".join(urls[:3]) + "\n")
    run = CliRunner().invoke(reproduce, ["datasets", "--data", str(tmp_path)], catch_exceptions=False)
    assert f"data: cnndm, test split, 3 documents: {tmp_path / 'cnn' / 'stories'} and" in run.output
    (tmp_path / "url_lists" / "all_test.txt").write_text("http://elsewhere\n")
    with pytest.raises(InputError, match="names no story"):
        find_datasets(tmp_path)


def test_training_data_is_never_measured(tmp_path: Path, english: str) -> None:
    with pytest.raises(InputError, match="holds none of the datasets"):
        find_datasets(tmp_path)
    lines = json.dumps({"text": english, "summary": ["The harbor will close to cars."]})
    (tmp_path / "cnndm").mkdir()
    (tmp_path / "cnndm" / "articles.jsonl").write_text(lines)
    with pytest.raises(InputError, match="may hold training data: name its test split"):
        find_datasets(tmp_path)
    (tmp_path / "cnndm" / "articles.jsonl").rename(tmp_path / "cnndm" / "train.jsonl")
    with pytest.raises(InputError, match="is training data: add the test split"):
        find_datasets(tmp_path)
    (tmp_path / "cnndm" / "test.jsonl").write_text(lines)
    # A log and a table are no data, though their endings are those of data.
    (tmp_path / "cnewsum-both").mkdir()
    (tmp_path / "cnewsum-both" / "log.jsonl").write_text('{"step": 1}')
    (tmp_path / "table5-cnewsum.json").write_text("{}")
    assert list(find_datasets(tmp_path)) == ["cnndm"]


def test_every_table_says_what_it_was_measured_on(data: Path) -> None:
    for name in ("table4", "datasets"):
        run = CliRunner().invoke(reproduce, [name, "--data", str(data)], catch_exceptions=False)
        assert f"data: cnndm, test split, 2 documents: {data / 'my_cnndm_test.jsonl'}" in run.output


def test_the_statistics_are_those_of_whole_documents(data: Path) -> None:
    options = ["datasets", "--data", str(data)]
    tables = [CliRunner().invoke(reproduce, [*options, *more]).output for more in ([], ["--max-source-tokens", "9"])]
    assert tables[0] == tables[1]
    assert "tokens are words" in tables[0]


def test_tokens_are_the_word_pieces_of_the_encoder_that_is_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tersely import encode

    class Letters:
        """An encoder whose tokens are letters."""

        count_tokens = staticmethod(len)

    monkeypatch.setattr(encode, "load_encoder", lambda _: Letters())
    table = CliRunner().invoke(reproduce, ["datasets", "--data", str(data), "--encoder", "simcse=hub:x"]).output
    assert "tokens are word pieces of hub:x" in table
    options = {"models": (), "limit": None, "device": "cpu", "key": None, "answers": ()}
    counts = []
    for encoders in ((), ("cnndm-simcse=hub:x",)):
        run = Reproduction(data=data, encoders=encoders, max_source_tokens=80, **options)
        counts.append([len(record.document) for record in run._read(run.datasets["cnndm"])])
    assert all(letters < words for words, letters in zip(*counts, strict=True))


def test_the_statistics_of_a_dataset_are_measured_as_in_the_paper(tmp_path: Path) -> None:
    texts = [["a" * 10, "b" * 20], ["c" * 30]]
    lines = [json.dumps({"text": sentences, "summary": ["a"]}) for sentences in texts]
    (tmp_path / "cnndm_test.jsonl").write_text("\n".join(lines))
    run = CliRunner().invoke(reproduce, ["datasets", "--data", str(tmp_path)], catch_exceptions=False)
    [line] = [line for line in run.output.splitlines() if "tokens are words" in line]
    # Texts of 31 and 30 characters; sentences of 10, 20 and 30; 2 and 1 of them, all within 512 tokens.
    assert [float(figure) for figure in line.split("(")[0].split()[1:]] == [30.5, 0.5, 20, 8.16, 1.5, 0.5, 1.5]
