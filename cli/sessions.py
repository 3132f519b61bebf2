"""Sessions of programs with a sandbox of their own: for compared.py, and for the pictures of ../docs/images/terminal.py."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import tempfile
import termios

COLUMNS = 80


class Sandbox:
    """A sandbox of `platform-sandbox`, and the environment in which `platform` has signed in to it."""

    def __init__(self, programs, home, **environment):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PLATFORM_", "XDG_"))}
        self.environment = dict(kept, HOME=home, PATH=f"{programs}:{kept['PATH']}", **environment)
        pipe = subprocess.PIPE
        command = [f"{programs}/platform-sandbox", "--json", "--end-with-stdin", "--step", "700", "--secrets", f"{home}/secrets"]
        self.server = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=self.environment)
        self.addresses = json.loads(self.server.stdout.readline())
        client = self.addresses["clients"][0]
        login = ["--base-url", self.addresses["base_url"], "--issuer", self.addresses["auth_url"]]
        login += ["--client-id", client["client_id"], "--secret-file", client["secret_file"]]
        subprocess.run([f"{programs}/platform", "login", *login], env=self.environment, check=True)

    def end(self):
        self.server.stdin.close()
        self.server.wait()


def in_terminal(command, environment, interrupted_at=None):
    """Output and exit code of a command of a shell in a terminal of 80 columns; Ctrl-C is typed when a text has been printed."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
        os.execvpe("bash", ["bash", "-c", command], environment)
    output = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        output += piece
        if interrupted_at and interrupted_at in output:
            os.write(terminal, b"\x03")
            interrupted_at = None
    _, status = os.waitpid(child, 0)
    return output.decode(errors="replace").replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)


class Session:
    """A session of the Model Context Protocol with a server on standard input and output."""

    def __init__(self, command, environment):
        pipe = subprocess.PIPE
        self.log = tempfile.TemporaryFile("w+")
        self.server = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self.log, text=True, env=environment)
        self.number, self.size = 0, 0
        client = {"name": "session", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.server.stdin.flush()

    def ask(self, method, **parameters):
        """The result of a request, or its error; `size` is the number of characters of the answer."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": parameters})
        for line in self.server.stdout:
            message = json.loads(line)
            if message.get("id") == self.number:
                self.size = len(line)
                return message.get("result") or {"error": message["error"]}
        raise SystemExit(f"the server has ended: {self.end()}")

    def end(self):
        """The log of the server, which ends with its input."""
        self.server.stdin.close()
        self.server.wait()
        self.log.seek(0)
        return self.log.read()
