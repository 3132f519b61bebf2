"""Starts another tool on a contract, so that the judge can measure it: `SERVE='python3 sandbox/engine/judge/other.py specmatic {contract}'`.

specmatic   `java -jar $SPECMATIC_JAR mock` (the jar is in the npm package `specmatic`)
microcks    imports the contract into the Microcks at $MICROCKS, such as http://127.0.0.1:8080, and forwards to its mock

Prints the line `listening on http://127.0.0.1:PORT` once the tool answers. Prism prints such a line itself.
"""
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, urlsplit

import yaml

WAIT = 55  # seconds for the first answer; the judge itself waits for 60


def announce(port):
    print(f"listening on http://127.0.0.1:{port}", flush=True)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def answers(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status > 0
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def specmatic(contract):
    port = free_port()
    jar, contract = (str(pathlib.Path(path).resolve()) for path in (os.environ["SPECMATIC_JAR"], contract))
    words = ["java", "-jar", jar, "mock", "--host", "127.0.0.1", "--port", str(port), contract]
    # It writes reports to the folder that it is started in, and reads a configuration there.
    folder = tempfile.TemporaryDirectory()
    # Before Java begins: an end of this program ends it, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    process = subprocess.Popen(words, stdout=sys.stderr, cwd=folder.name)
    try:
        end = time.monotonic() + WAIT
        while process.poll() is None and not answers(port):
            if time.monotonic() > end:
                sys.exit(f"no answer within {WAIT} s")
            time.sleep(0.1)
        if process.poll() is None:
            announce(port)
        sys.exit(process.wait())
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()


def upload(server, contract):
    """Imports a contract; the error of the server ends the program."""
    border, file = uuid.uuid4().hex, pathlib.Path(contract)
    head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{uuid.uuid4().hex}{file.suffix}"\r\n'
    body = f"{head}Content-Type: application/octet-stream\r\n\r\n".encode() + file.read_bytes() + f"\r\n--{border}--\r\n".encode()
    kind = {"Content-Type": f"multipart/form-data; boundary={border}"}
    try:
        urllib.request.urlopen(urllib.request.Request(f"{server}/api/artifact/upload?mainArtifact=true", body, kind), timeout=WAIT).read()
    except urllib.error.HTTPError as error:
        sys.exit(f"the import answered {error.code}: {error.read()[:300]!r}")


class Forward(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_address, prefix = "", ""

    def log_message(self, *_):
        pass

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        connection = http.client.HTTPConnection(self.server_address, timeout=30)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        connection.request(self.command, self.prefix + self.path, body or None, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length", "keep-alive", "date", "server"):
                self.send_header(name, value)
        # 204 and 304 have no body, and so no length.
        if answer.status not in (204, 304):
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = forward


def microcks(contract):
    server = os.environ["MICROCKS"].rstrip("/")
    upload(server, contract)
    text = pathlib.Path(contract).read_text("utf-8-sig")
    info = (json.loads(text) if text.lstrip().startswith("{") else yaml.load(text, yaml.BaseLoader))["info"]
    Forward.server_address = urlsplit(server).netloc
    Forward.prefix = f"/rest/{quote(info['title'], safe='')}/{quote(str(info['version']), safe='')}"
    forward = ThreadingHTTPServer(("127.0.0.1", 0), Forward)
    announce(forward.server_port)
    forward.serve_forever()


if __name__ == "__main__":
    {"specmatic": specmatic, "microcks": microcks}[sys.argv[1]](sys.argv[2])
