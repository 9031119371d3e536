"""`tersely reproduce`: the tables and the figure of the paper."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tersely.cli.reproduce import Reproduction
from tersely.cli.reproduce import command as reproduce
from tersely.cli.train import command as train
from tersely.errors import InputError
from tersely.evaluate.report import draw_curves, read_log
from tersely.evaluate.run import evaluate
from tersely.learn.artifacts import find_config
from tersely.models import model_folder
from tersely.paper.baselines import read_baseline
from tersely.paper.config import read_config
from tersely.paper.knapsack_network import KnapsackConfig
from tersely.paper.published import TABLES, PublishedTable, published
from tersely.paper.table1 import Table1Config
from tersely.settings import read_settings


@pytest.mark.parametrize("name", TABLES)
def test_every_published_row_is_complete(name: str) -> None:
    table = published(name)
    for row in table.rows:
        assert len(row.figures) in ((0, len(table.columns)) if row.dataset else (len(table.columns),))
        assert row.system or row.model or row.note or name in ("table6", "datasets")
        if row.model:
            assert row.training.endswith(f" --out MODELS/{row.folder}")


@pytest.mark.parametrize("name", ["table2", "table3", "table4", "table5"])
def test_a_table_shows_measured_beside_published_and_says_what_is_missing(name: str, data: Path) -> None:
    run = CliRunner().invoke(reproduce, [name, "--data", str(data)], catch_exceptions=False)
    assert run.exit_code == 0
    assert "published" in run.output
    assert re.search("no model folder '(cnndm|cnewsum)-both' yet", run.output)
    if name in ("table2", "table5"):
        assert "no cnewsum data" in run.output
    if name == "table2":
        assert run.output.count("it generates text and extracts nothing") == 3
        assert "cnewsum: 2 sentences. The paper names no number" in run.output
        assert "no encoder 'bert' yet; name it with --encoder bert=hub:bert-base-uncased" in run.output
        assert "USE vectors, not SimCSE's" in run.output
    assert len(re.findall(r"measured +\d", run.output)) == {"table2": 9, "table3": 0, "table4": 6, "table5": 0}[name]


def test_a_trained_models_figure_is_the_mean_of_its_best_checkpoints(data: Path) -> None:
    folder = data / "models" / "cnndm-both"
    for name, scorer in (("", "lead"), ("best-2", "random"), ("best-3", "random:seed=3")):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "config.toml").write_text(f'name = "x"\nscorer = "{scorer}"\n')
    run = CliRunner().invoke(
        reproduce, ["table4", "--data", str(data), "--models", str(data / "models")], catch_exceptions=False
    )
    line = next(line for line in run.output.splitlines() if "mean of the 3 best checkpoints" in line)
    mean = float(line.split("(")[0].split()[1])
    each = [float(figure) for figure in line.rpartition("R-1 ")[2].rstrip(")").split(", ")]
    assert mean == pytest.approx(sum(each) / 3, abs=0.01)
    assert len(each) == 3


def test_a_row_within_a_length_selects_by_the_knapsack(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tersely.paper import reproduce as tables

    folder = data / "models" / "cnndm-bertsum"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('name = "x"\nscorer = "lead"\nselect = "greedy"\n')
    systems: dict[str, list[str]] = {}
    monkeypatch.setattr(
        tables,
        "evaluate",
        lambda records, names, budgets, progress: (
            systems.update({str(budgets[0].counts): names}) or evaluate(records, names, budgets, progress=progress)
        ),
    )
    for name in ("table2", "table4"):
        options = [name, "--data", str(data), "--models", str(data / "models")]
        run = CliRunner().invoke(reproduce, options, catch_exceptions=False)
        assert re.search(r"BertSum( \+ DP)? +measured +\d", run.output)
    assert str(folder) in systems["sentences"]
    assert f"{folder}+knapsack" in systems["chars"]


def test_encoders_and_language_models_compute_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    from tersely.paper import reproduce as tables

    specs: dict[str, str] = {}
    monkeypatch.setattr(tables, "reproduce", lambda *arguments: specs.update(arguments[-1]) or ([], []))
    monkeypatch.setattr(tables, "render", lambda *_: "")
    encoders = ["bert=hub:tiny", "simcse=hub:tiny,device=cpu", "gpt2=gpt2", "nyt-bert=tfidf"]
    options = [word for encoder in encoders for word in ("--encoder", encoder)]
    CliRunner().invoke(reproduce, ["table2", "--device", "cuda", *options], catch_exceptions=False)
    assert specs == {
        "bert": "hub:tiny,device=cuda",
        "simcse": "hub:tiny,device=cpu",
        "gpt2": "gpt2,device=cuda",
        "nyt-bert": "tfidf",
    }
    CliRunner().invoke(reproduce, ["table2", "--device", "cpu", *options], catch_exceptions=False)
    assert specs["gpt2"] == "gpt2"


def test_an_encoder_of_the_users_fills_its_rows(data: Path) -> None:
    given = ["--encoder", "cnndm-bert=tfidf", "--encoder", "simcse=tfidf"]
    run = CliRunner().invoke(reproduce, ["table2", "--data", str(data), *given], catch_exceptions=False)
    assert len(re.findall(r"measured +\d", run.output)) == 9 + 3  # TextRank twice, and PACSUM
    assert "USE vectors, not SimCSE's" not in run.output
    wrong = CliRunner().invoke(reproduce, ["table2", "--encoder", "elmo=use"])
    assert "--encoder takes NAME=SPEC" in str(wrong.exception)


def test_learning_curves_are_drawn_from_logs(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"step": 1, "loss": 2}\n{"step": 2, "validation_loss": 1.5, "rouge1": 30}\n')
    out = tmp_path / "curves.png"
    CliRunner().invoke(
        reproduce, ["figure-learning-curves", "--log", str(log), "--out", str(out)], catch_exceptions=False
    )
    assert out.read_bytes().startswith(b"\x89PNG")
    for broken in ("[\n", "[" * 100_000, '{"validation_loss": 1}', '{"step": 1, "validation_loss": []}'):
        log.write_text(broken)
        with pytest.raises(InputError, match="not a training log"):
            read_log(log)


def test_logs_in_folders_of_the_same_name_get_a_panel_each(tmp_path: Path) -> None:
    logs = [tmp_path / run / "model" / "log.jsonl" for run in ("one", "two")]
    for log in logs:
        log.parent.mkdir(parents=True)
        log.write_text('{"step": 2, "validation_loss": 1.5}\n')
    width = [int.from_bytes(draw_curves(some)[16:20]) for some in (logs[:1], logs)]  # as a PNG's header says
    assert width[1] == 2 * width[0]
    many = draw_curves([*logs, *logs])
    assert int.from_bytes(many[16:20]) == 3 * width[0]  # the fourth is in a second row
    assert int.from_bytes(many[20:24]) == 2 * int.from_bytes(draw_curves(logs)[20:24])


def test_a_figure_must_be_named_png(tmp_path: Path) -> None:
    log, out = tmp_path / "log.jsonl", tmp_path / "curves.svg"
    log.write_text('{"step": 2, "validation_loss": 1.5}\n')
    run = CliRunner().invoke(reproduce, ["figure-learning-curves", "--log", str(log), "--out", str(out)])
    assert "end in .png" in str(run.exception)
    assert not out.exists()


COMMANDS = sorted(
    {row.training for name in TABLES for row in published(name).rows if row.model and row.dataset != "predefined"}
)


def _parsed(command: str, train_file: Path, models: Path) -> tuple[str, list[str]]:
    """Return the subcommand of `tersely train` and its arguments, with real paths."""
    places = {"TRAIN": str(train_file)}
    words = [places.get(word, word.replace("MODELS", str(models))) for word in command.split()]
    assert words[:2] == ["tersely", "train"]
    return words[2], words[3:]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_a_missing_row_names_is_a_command(command: str, data: Path) -> None:
    name, arguments = _parsed(command, data / "my_cnndm_test.jsonl", data / "models")
    options = train.commands[name].make_context(name, arguments).params
    config, changes = options["config"], options["changes"]
    if name == "knapsack":
        kind = Table1Config if re.search("fptas|neural|dqn", config) else KnapsackConfig
        read_settings(find_config(config), kind, changes)
    else:
        (read_baseline if name == "baseline" else read_config)(config, changes)
    if knapsack := options.get("knapsack"):
        assert (model_folder(knapsack) / "config.toml").is_file()


def test_the_page_has_every_command_that_trains_a_row_on_cnndm() -> None:
    page = (Path(__file__).parents[2] / "docs" / "paper.md").read_text(encoding="utf-8")
    wanted = {row.training for name in TABLES for row in published(name).rows if row.model and row.dataset == "cnndm"}
    assert [command for command in sorted(wanted) if command not in page] == []


def test_the_commands_train_what_the_rows_look_for(data: Path, english: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Graphs take seconds each, and are tested elsewhere.
    monkeypatch.setattr("tersely.paper.export.onnx_bytes", lambda *_: b"graph")
    texts = [f"In {year} it rained. {english}" for year in range(1990, 2014)]
    corpus = data / "texts.jsonl"
    corpus.write_text("\n".join(json.dumps({"text": text}) for text in texts))
    small = ["data.encoder=use", "training.batch=8", "training.validate_every=1"]
    small += [
        f"{part}.{size}" for part in ("network", "siamese") for size in ("width=8", "heads=2", "inner=8", "layers=1")
    ]
    options = [word for change in small for word in ("--set", change)]
    options += ["--steps", "1", "--device", "cpu", "--cache", str(data / "vectors")]
    ours = {row.model: row.training for row in published("table4").rows if row.model in ("both", "ktdp")}
    for command in ours.values():
        name, arguments = _parsed(command, corpus, data / "models")
        done = CliRunner().invoke(train, [name, *arguments, *options], catch_exceptions=False)
        assert done.exit_code == 0, done.output
    run = CliRunner().invoke(reproduce, ["table4", "--models", str(data / "models")], catch_exceptions=False)
    assert set(re.findall("no model folder '(cnndm-.*?)'", run.output)) == {"cnndm-bertsum", "cnndm-ktden"}


def test_table1_measures_the_shipped_networks_and_says_how_to_train_the_others(tmp_path: Path, monkeypatch) -> None:
    from tersely.paper import knapsack_measure

    # The real measure takes a minute; the networks themselves are tested elsewhere.
    rates = {"rounded": {"error_rate": 0.005, "matched_rate": 0.95}}
    monkeypatch.setattr(
        knapsack_measure, "measure_folder", lambda folder: rates if (folder / "model.onnx").is_file() else {}
    )
    trained = tmp_path / "dqn-cnndm"
    trained.mkdir()
    (trained / "measures.json").write_text('{"rounded": {"error_rate": 0.06, "matched_rate": 0.7}}')
    run = CliRunner().invoke(reproduce, ["table1", "--models", str(tmp_path)], catch_exceptions=False)
    assert run.output.count("95.00") == 4
    assert "70.00" in run.output
    assert "tersely train knapsack cpu-knapsack-fptas-cnewsum --out MODELS/fptas-cnewsum" in run.output
    assert "tersely train knapsack cpu-knapsack-cnndm-plain --out MODELS/knapsack-cnndm-plain" in run.output
    assert run.output.count("compact network that starts from bounds") == 4


def test_a_knapsack_network_of_the_users_comes_before_the_shipped_one(tmp_path: Path, monkeypatch) -> None:
    from tersely.paper import knapsack_measure

    own = tmp_path / "knapsack-cnndm-dp" / "model"
    own.mkdir(parents=True)
    (own / "config.toml").write_text('[network]\nkind = "paper"\nwidth = 768\nlayers = 8\n')
    rates = {"rounded": {"error_rate": 0.005, "matched_rate": 0.95}}
    seen: list[Path] = []
    monkeypatch.setattr(knapsack_measure, "measure_folder", lambda folder: (seen.append(folder), rates)[1])
    run = CliRunner().invoke(reproduce, ["table1", "--models", str(tmp_path)], catch_exceptions=False)
    assert own in seen
    assert "the paper's network, width 768, 8 layers" in run.output


def test_table6_shows_the_means_of_the_answers(tmp_path: Path) -> None:
    empty = CliRunner().invoke(reproduce, ["table6"], catch_exceptions=False)
    assert "measured   none: make a form" in empty.output
    key, answers = tmp_path / "form.key.json", tmp_path / "answers.json"
    summaries = {"s1": {"document": "d1", "systems": ["lead"]}}
    key.write_text(json.dumps({"form": "f0", "raters": 1, "systems": ["lead"], "summaries": summaries}))
    points = {"relevance": 4, "coherence": 2, "consistency": 5}
    answers.write_text(json.dumps({"form": "f0", "rater": 1, "answers": {"s1": points}}))
    run = CliRunner().invoke(reproduce, ["table6", "--key", str(key), "--answers", str(answers)])
    [measured] = [line.split() for line in run.output.splitlines() if line.startswith("lead")]
    columns = published("table6").columns
    assert measured == ["lead", "measured", *(f"{points[column]:.2f}" for column in columns)]
    alone = CliRunner().invoke(reproduce, ["table6", "--key", str(key)])
    assert "--key and --answers go together" in str(alone.exception)


def test_all_tables_go_into_one_report_and_what_is_done_is_not_measured_again(data: Path, monkeypatch) -> None:
    arguments = ["all", "--data", str(data), "--max-source-tokens", "512", "--out", str(data / "out")]
    whole, asked = Reproduction.table, []

    def measure(run: Reproduction, table: PublishedTable) -> str:
        """Measure what takes no time; the other tables are measured above."""
        return whole(run, table) if table.name in ("table6", "datasets") else f"{table.name} was measured"

    def stopped(self: Reproduction, table: PublishedTable) -> str:
        asked.append(table.name)
        if table.name == "table4":
            raise KeyboardInterrupt
        return measure(self, table)

    monkeypatch.setattr(Reproduction, "table", stopped)
    run = CliRunner().invoke(reproduce, arguments, catch_exceptions=False)
    assert run.exit_code == 130
    assert "run the same command" in run.stderr
    assert not (data / "out" / "report.md").exists()
    before = list(asked)
    monkeypatch.setattr(Reproduction, "table", lambda self, table: (asked.append(table.name), measure(self, table))[1])
    assert CliRunner().invoke(reproduce, arguments, catch_exceptions=False).exit_code == 0
    assert set(asked[len(before) :]) == {"table4", "table5", "table6"} | set(TABLES[6:])
    report = (data / "out" / "report.md").read_text()
    assert all(f"## {name}" in report for name in TABLES)
    assert all(f"table{number} was measured" in report for number in range(1, 6))
    assert "tokens are words" in report
    assert "the first 512 tokens" in report
    assert "not drawn: there is no training log" in report
    asked.clear()
    CliRunner().invoke(reproduce, arguments, catch_exceptions=False)
    assert asked == []
    CliRunner().invoke(reproduce, [*arguments, "--limit", "1"], catch_exceptions=False)
    assert len(asked) > len(TABLES)
