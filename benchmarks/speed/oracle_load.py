"""Proposals a second over many connections: the Oracle, and a bare server that reports nothing.

    python -m benchmarks.speed.oracle_load RELEASE [CONNECTIONS [SECONDS]]

The Oracle answers with truth at 50 digits and has each answer in its log, on disk, before it is
sent. The alternative beside it is Python's threading HTTP server that reads a body and echoes it:
what the same requests cost where nothing is checked, computed or kept. Both run in processes of
their own, in turn, three times; the best of each counts.
"""

import http.client
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ECHO = """
import http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    def do_POST(self):
        body = json.dumps(json.loads(self.rfile.read(int(self.headers["Content-Length"])))).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(json.dumps({"url": "http://127.0.0.1:%d" % server.server_address[1]}), flush=True)
server.serve_forever()
"""
CLIENT = """
import http.client, json, sys, threading, time
port, seconds, work = int(sys.argv[1]), float(sys.argv[2]), json.load(sys.stdin)
counts, waits, bad = [], [], []
start = threading.Barrier(len(work))
def run(path, body):
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    data, count = json.dumps(body).encode(), 0
    start.wait()
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        asked = time.perf_counter()
        line.request("POST", path, data, {"Content-Type": "application/json"})
        reply = line.getresponse()
        text = reply.read()
        waits.append(time.perf_counter() - asked)
        if reply.status != 200: bad.append(text)
        count += 1
    counts.append(count)
threads = [threading.Thread(target=run, args=item) for item in work]
[t.start() for t in threads]
[t.join() for t in threads]
waits.sort()
print(json.dumps([sum(counts), waits[len(waits) // 2], waits[int(len(waits) * 0.99)], len(bad)]))
"""
Work = list[tuple[str, dict[str, object]]]


def started(command: list[str]) -> tuple[subprocess.Popen[str], int]:
    """A server process and its port."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, int(json.loads(process.stdout.readline())["url"].rsplit(":", 1)[1])


def load(port: int, seconds: float, work: Work) -> tuple[float, float, float]:
    """Answers a second, and the median and 99th percentile of their waits in seconds."""
    command = [sys.executable, "-c", CLIENT, str(port), str(seconds)]
    done = subprocess.run(
        command, input=json.dumps(work), capture_output=True, text=True, check=True
    )
    count, median, late, bad = json.loads(done.stdout)
    assert not bad, f"{bad} answers were refused"
    return count / seconds, median, late


def post(port: int, path: str, body: dict[str, object]) -> dict[str, object]:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    line.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer: dict[str, object] = json.loads(line.getresponse().read())
    line.close()
    return answer


def experiments(release: Path, connections: int) -> list[tuple[str, dict[str, object]]]:
    """Tasks in turn, each with its first public observation as the experiment."""
    public = release / "public"
    tasks = [json.loads(line) for line in (public / "discovery.jsonl").read_text().splitlines()]
    first: dict[str, list[float]] = {}
    for line in (public / "fixed_observations.jsonl").read_text().splitlines():
        row = json.loads(line)
        first.setdefault(row["task_id"], row["inputs"])
    chosen: list[tuple[str, dict[str, object]]] = []
    for number in range(connections):
        task = tasks[number % len(tasks)]
        names = [control["name"] for control in task["controls"]]
        chosen.append(
            (
                task["id"],
                {
                    "inputs": dict(zip(names, first[task["id"]], strict=True)),
                    "readouts": [readout["name"] for readout in task["readouts"]],
                },
            )
        )
    return chosen


def oracle(release: Path, connections: int, seconds: float) -> tuple[float, float, float]:
    with tempfile.TemporaryDirectory() as record:
        command = [sys.executable, "-m", "lawsmith.oracle.server", str(release)]
        process, port = started([*command, "--open", "--record", record])
        try:
            work: Work = []
            for task, body in experiments(release, connections):
                session = post(port, "/sessions", {"task_id": task})["session"]
                work.append((f"/sessions/{session}/propose", body))
            return load(port, seconds, work)
        finally:
            process.terminate()
            process.wait()


def echo(release: Path, connections: int, seconds: float) -> tuple[float, float, float]:
    process, port = started([sys.executable, "-c", ECHO])
    try:
        return load(port, seconds, [("/", body) for _, body in experiments(release, connections)])
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    if len(sys.argv) == 1:
        print("no release given: python -m benchmarks.speed.oracle_load RELEASE")
        return
    release = Path(sys.argv[1])
    connections = int(sys.argv[2]) if len(sys.argv) > 2 else 64
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 4.0
    best: dict[str, tuple[float, float, float]] = {}
    runs: list[tuple[str, Callable[[Path, int, float], tuple[float, float, float]]]] = [
        ("oracle", oracle),
        ("echo", echo),
    ]
    for _ in range(3):
        for name, run in runs:
            best[name] = max(best.get(name, (0.0, 0.0, 0.0)), run(release, connections, seconds))
    for name, (rate, median, late) in best.items():
        waits = f"median {median * 1e3:.1f} ms, p99 {late * 1e3:.0f} ms"
        print(f"{name:8s} {rate:8.0f} a second, {waits}")
    print(f"oracle / echo = {best['oracle'][0] / best['echo'][0]:.2f}")


if __name__ == "__main__":
    main()
