"""What is built can be uploaded: the wheel has all that it needs at run time, the sdist all that the repository has."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

from tersely import __version__

ROOT = Path(__file__).parents[1]
SHARED = {
    "bash": "bash-completion/completions/tersely",
    "zsh": "zsh/site-functions/_tersely",
    "fish": "fish/vendor_completions.d/tersely.fish",
    "man": "man/man1/tersely.1",
}


def build(source: Path, kind: str, folder: Path) -> Path:
    """Build without fetching anything: hatchling is installed for the tests."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(folder)]
    subprocess.run(command, cwd=source, capture_output=True, check=True)
    [built] = folder.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def unpacked(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"tersely-{__version__}"


@pytest.fixture(scope="module")
def wheel(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    return ZipFile(build(unpacked, "wheel", tmp_path_factory.mktemp("wheel")))


@pytest.fixture(scope="module")
def metadata(wheel: ZipFile) -> Message:
    return Parser().parsestr(wheel.read(f"tersely-{__version__}.dist-info/METADATA").decode())


def files(folder: Path) -> set[str]:
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix() for path in found}


def test_the_wheel_has_the_package_its_configurations_and_its_manual_and_nothing_else(wheel: ZipFile) -> None:
    info, data = f"tersely-{__version__}.dist-info", f"tersely-{__version__}.data/data"
    shipped = files(ROOT / "src" / "tersely")
    # Each knapsack network once: its graph holds the same weights as its safetensors.
    graphs = {name for name in shipped if name.startswith("models/knapsack-") and name.endswith(".onnx")}
    assert len(graphs) == 4
    expected = {f"tersely/{name}" for name in shipped - graphs}
    expected |= {f"tersely/configs/{name}" for name in files(ROOT / "configs")}
    expected |= {f"{data}/share/{name}" for name in files(ROOT / "share")}
    expected |= {f"{info}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")}
    assert set(wheel.namelist()) == expected
    assert {"tersely/py.typed", "tersely/models/news/config.toml", "tersely/configs/news.toml"} <= expected


@pytest.mark.skipif(not (ROOT / ".git").exists() or not shutil.which("git"), reason="not a clone")
def test_the_sdist_has_every_file_of_the_repository(unpacked: Path) -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    present = {name for name in tracked.split("\0") if name and (ROOT / name).is_file()}
    assert present - files(unpacked) == set()


def test_an_unpacked_sdist_has_what_make_and_its_tests_need(unpacked: Path) -> None:
    project = tomllib.loads((unpacked / "pyproject.toml").read_text(encoding="utf-8"))
    listed = [name.strip("/") for name in project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]]
    assert [name for name in listed if not (unpacked / name).exists()] == []
    run = subprocess.run(["make", "--dry-run", "demo", "test"], cwd=unpacked, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()


def test_the_metadata_are_complete(metadata: Message) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (metadata["Name"], metadata["Version"]) == ("tersely", __version__)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert set(metadata.get_all("Provides-Extra", ())) == set(project["optional-dependencies"])
    base = [each for each in metadata.get_all("Requires-Dist", ()) if "extra ==" not in each]
    assert len(base) == len(project["dependencies"])


def test_every_extra_and_dependency_is_explained_and_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in constraints()}
    for extra, requirements in [("", project["dependencies"]), *project["optional-dependencies"].items()]:
        assert f"`{extra}`" in page or not extra
        for name in (requirement.partition(">=")[0].partition("==")[0] for requirement in requirements):
            assert name.partition("[")[0] in page
            assert name.partition("[")[0].lower() in pinned


def constraints() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_what_make_demo_installs_has_hashes_and_the_pinned_versions() -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    blocks = re.findall(r"^(\S+)==(\S+) ((?:\\\n    --hash=sha256:[0-9a-f]{64} ?)+)$", text, re.MULTILINE)
    assert len(blocks) == text.count("==")
    pinned = {normal(line.partition("==")[0]): line.partition("==")[2] for line in constraints()}
    found = {name: version for name, version, _ in blocks}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    assert {normal(re.split("[=>]", one)[0]) for one in needed} <= found.keys(), "run 'make hashes'"
    assert {name: pinned[name] for name in found if name in pinned} == {n: v for n, v in found.items() if n in pinned}


def normal(name: str) -> str:
    return name.lower().replace("_", "-")


def test_constraints_pin_exactly_one_version_of_each_package() -> None:
    assert all(line.count("==") == 1 for line in constraints())
    names = [line.partition("==")[0].lower().replace("_", "-") for line in constraints()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("what", SHARED)
def test_shared_files_are_what_the_command_prints(what: str) -> None:
    command = [sys.executable, "-m", "tersely", "completion", what]
    printed = subprocess.run(command, capture_output=True, check=True).stdout
    assert (ROOT / "share" / SHARED[what]).read_bytes() == printed, "run 'make share'"


def test_the_oldest_versions_can_be_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    every = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    run = subprocess.run([sys.executable, ROOT / ".ci" / "oldest.py"], capture_output=True, text=True, check=True)
    oldest = dict(line.split("==") for line in run.stdout.splitlines())
    assert oldest.keys() == {re.split(r"[\[=>]", requirement)[0] for requirement in every}
    assert all(requirement.endswith(oldest[re.split(r"[\[=>]", requirement)[0]]) for requirement in every)


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """A repository that is about to release version 1.2.0."""
    for name in (".ci/version.py", "src/tersely/__init__.py", "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / ".ci" / "version.py", tmp_path / ".ci" / "version.py")
    (tmp_path / "src" / "tersely" / "__init__.py").write_text('__version__ = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\n## 1.2.0\n")
    return tmp_path


def check_version(folder: Path) -> tuple[int, str]:
    run = subprocess.run([sys.executable, folder / ".ci" / "version.py"], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr


def test_a_version_is_checked_without_git(released: Path) -> None:
    assert check_version(released) == (0, "tersely 1.2.0, not tagged: run 'git tag v1.2.0' to release it\n")
    (released / "CHANGELOG.md").write_text("# Changes\n\n## 1.1.0\n")
    assert check_version(released) == (
        1,
        "version 1.2.0 is not the first heading of CHANGELOG.md: add '## 1.2.0'\n",
    )


@pytest.mark.skipif(not shutil.which("git"), reason="no git")
def test_a_version_agrees_with_its_tag(released: Path) -> None:
    def git(*args: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *args], cwd=released, capture_output=True, check=True)

    git("init")
    git("commit", "--allow-empty", "--message", "one")
    git("tag", "v1.1.0")
    code, said = check_version(released)
    assert (code, "tagged v1.1.0, but the version is 1.2.0" in said) == (1, True)
    git("commit", "--allow-empty", "--message", "two")
    assert check_version(released)[0] == 0
    git("tag", "v1.2.0")
    assert check_version(released) == (0, "tersely 1.2.0\n")
    git("commit", "--allow-empty", "--message", "three")
    code, said = check_version(released)
    assert (code, "v1.2.0 is the tag of another commit" in said) == (1, True)
