"""An OpenAI chat server of its own process that answers a window's prompts after a fixed time.

`window` starts it. It prints its port and serves until its input ends; then it prints how many
calls it served and how many different ones they were.
"""

import hashlib
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from benchmarks.speed.window_papers import Reader, reader


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # A whole window may knock at once.
    request_queue_size = 128
    reader: Reader
    latency: float

    def __init__(self, latency: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.latency = latency
        self.reader = reader()
        self.lock = threading.Lock()
        self.served = 0
        self.different: set[str] = set()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        due = time.monotonic() + self.server.latency
        data = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            self.server.served += 1
            self.server.different.add(hashlib.sha256(data).hexdigest())
        body = json.loads(data)
        text = self.server.reader(body)
        answer = json.dumps(
            {
                "id": "x",
                "object": "chat.completion",
                "created": 1,
                "model": body["model"],
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "stop",
                        "message": {"role": "assistant", "content": text},
                    }
                ],
                "usage": {
                    "prompt_tokens": len(data) // 4,
                    "completion_tokens": len(text) // 4,
                    "total_tokens": len(data) // 4 + len(text) // 4,
                },
            }
        ).encode()
        time.sleep(max(0.0, due - time.monotonic()))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the window would be a thousand lines."""


def serve(seconds: float) -> None:
    """Serve until standard input ends, each answer after so many seconds."""
    server = _Server(seconds)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
    server.shutdown()
    print(server.served, len(server.different), flush=True)
