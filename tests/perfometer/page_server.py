# SPDX-License-Identifier: BSD-3-Clause
"""A server that says to the page of perfometer what a test wants, and keeps what the page asks for."""
import http.server
import json
import queue
import threading
import urllib.parse

TOKEN = "a-token-of-a-test"


class Handler(http.server.BaseHTTPRequestHandler):
    """One request. server.state is the Server below."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, kind, body):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def path_if_allowed(self):
        address = urllib.parse.urlsplit(self.path)
        if urllib.parse.parse_qs(address.query).get("token") != [TOKEN]:
            self.answer(403, "application/json", '{"error": "the token is missing or wrong"}')
            return None
        return address.path

    def do_GET(self):
        state, path = self.server.state, self.path_if_allowed()
        if path == "/":
            self.answer(200, "text/html; charset=utf-8", state.page)
        elif path == "/available":
            self.answer(200, "application/json", json.dumps(state.available))
        elif path == "/data":
            self.stream(state)
        elif path:
            self.answer(404, "text/plain", "there is no such thing")

    def stream(self, state):
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        mine = queue.Queue()
        with state.lock:
            for line in state.said:
                mine.put(line)
            state.listeners.append(mine)
        try:
            while (line := mine.get()) is not None:
                self.wfile.write(f"data: {line}\n\n".encode())
        except OSError:
            pass
        with state.lock:
            if mine in state.listeners:
                state.listeners.remove(mine)

    def do_POST(self):
        state, path = self.server.state, self.path_if_allowed()
        if path != "/events":
            return
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        state.asked.append(asked["events"])
        status, body = state.on_ask(asked["events"])
        self.answer(status, "application/json", json.dumps(body))


class Server:
    """Serves while it is open. What is said goes to all pages, and again to those that come later."""

    def __init__(self, page, available=()):
        self.page = page
        self.available = list(available)
        self.said, self.listeners, self.asked = [], [], []
        self.lock = threading.Lock()
        self.on_ask = lambda events: (202, {})
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.state = self
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.http.server_port}/?token={TOKEN}"

    def say(self, *lines):
        with self.lock:
            self.said += lines
            for listener in self.listeners:
                for line in lines:
                    listener.put(line)

    def hang_up(self):
        """Ends the connections of data, as a network does."""
        with self.lock:
            for listener in self.listeners:
                listener.put(None)
            self.listeners = []

    def close(self):
        self.hang_up()
        self.http.shutdown()
        self.http.server_close()
