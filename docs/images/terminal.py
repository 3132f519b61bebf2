#!/usr/bin/env python3
"""Writes shell-wait.svg and shell-agent.svg beside this file: sessions of `platform` with a sandbox of its own, as the programs printed them.

usage: terminal.py FOLDER      FOLDER has `platform` and `platform-sandbox`, such as target/debug
"""

import fcntl
import html
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap

COLUMNS = 80
STYLE = """svg{font:13px/1 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
text{fill:#1f2328;white-space:pre}.b{font-weight:600}.p{fill:#1a7f37}.d{fill:#59636e}
rect{fill:#f6f8fa;stroke:#d1d9e0}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.p{fill:#3fb950}.d{fill:#9198a1}rect{fill:#161b22;stroke:#3d444d}}"""


class Picture:
    """Lines of spans; a span is a text with a class of the style, or none."""

    def __init__(self):
        self.lines = []

    def line(self, *spans):
        self.lines.append(spans)

    def printed(self, text):
        """The output of a terminal. Its only escapes are those of bold text; others would be a fault of the program."""
        for line in text.replace("\r\n", "\n").rstrip("\n").split("\n"):
            spans, style = [], ""
            for part in re.split(r"(\x1b\[[01]m)", line):
                if part.startswith("\x1b"):
                    style = "b" if part == "\x1b[1m" else ""
                elif part:
                    spans.append((part, style))
            if any(not text.isprintable() for text, _ in spans):
                raise SystemExit(f"not plain text: {line!r}")
            self.wrap(spans)

    def wrap(self, spans):
        """Cuts a line at the edge of the terminal, as a terminal does."""
        row, room = [], COLUMNS
        for text, style in spans:
            while len(text) > room:
                self.line(*row, (text[:room], style))
                row, text, room = [], text[room:], COLUMNS
            row.append((text, style))
            room -= len(text)
        self.line(*row)

    def write(self, name, title):
        height = 18 * len(self.lines) + 24
        rows = []
        for number, spans in enumerate(self.lines):
            parts = [
                f'<tspan class="{style}">{html.escape(text)}</tspan>' if style else html.escape(text)
                for text, style in spans
            ]
            rows.append(f'<text x="16" y="{18 * number + 26}" xml:space="preserve">{"".join(parts)}</text>')
        label = html.escape(title)
        image = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 662 {height}" width="662" height="{height}" role="img">'
            f"<title>{label}</title><style>{STYLE}</style>\n"
            f'<rect x=".5" y=".5" width="661" height="{height - 1}" rx="8"/>\n' + "\n".join(rows) + "\n</svg>\n"
        )
        pathlib.Path(__file__).with_name(name).write_text(image, encoding="utf-8")


def in_terminal(command, environment, interrupted_at=None):
    """The output of a command of a shell in a terminal of 80 columns; Ctrl-C is typed when a text has been printed."""
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
        output += piece
        if interrupted_at and interrupted_at in output:
            os.write(terminal, b"\x03")
            interrupted_at = None
        if not piece:
            break
    os.waitpid(child, 0)
    return output.decode()


def shell_wait(environment):
    picture = Picture()
    environment = dict(environment, PLATFORM_ASSUMED="1")
    picture.line(("$ ", "p"), ("export PLATFORM_ASSUMED=1", "b"))
    listed = subprocess.check_output(["bash", "-c", "platform virtual-machines list"], env=environment)
    machine = json.loads(listed)[0]["id"]
    commands = [
        ("platform virtual-machines list", None),
        (f"platform virtual-machines start --wait --label morning \\\n    {machine}", b"RUNNING"),
        ("platform operations list --fields label,kind,status,state", None),
        ("platform operations wait morning", None),
        ("platform operations list", None),
    ]
    for command, interrupted_at in commands:
        first, *others = command.split("\n")
        picture.line(("$ ", "p"), (first, "b"))
        for line in others:
            picture.line((line, "b"))
        picture.printed(in_terminal(command, environment, interrupted_at))
    picture.write("shell-wait.svg", "platform waits for a virtual machine, is interrupted, and goes on waiting")


class Agent:
    """A client of the Model Context Protocol on the standard input and output of a server."""

    def __init__(self, command, environment):
        pipe = subprocess.PIPE
        self.server = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)
        self.number = 0
        client = {"name": "agent", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.server.stdin.flush()

    def ask(self, method, **parameters):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": parameters})
        for line in self.server.stdout:
            message = json.loads(line)
            if message.get("id") == self.number:
                return message["result"]
        raise SystemExit(self.server.stderr.read())


def shell_agent(environment):
    picture = Picture()

    def wrapped(text, style=""):
        for line in text.split("\n"):
            for part in textwrap.wrap(line, COLUMNS - 2, break_on_hyphens=False) or [""]:
                picture.line(("  ", ""), (part, style))

    create = "platform projects create --name Billing --output /dev/null"
    in_terminal(create, environment)
    agent = Agent(["bash", "-c", "exec platform mcp"], environment)
    picture.line(("$ ", "p"), ("platform mcp", "b"), ("                    started by the client of an agent", "d"))
    picture.line(("> ", "p"), ("tools/list", "b"))
    for tool in agent.ask("tools/list")["tools"]:
        hints = ", ".join(name for name, value in tool["annotations"].items() if value and name != "openWorldHint")
        picture.line((f"  {tool['name']:<24}", ""), (f"{hints}", "d"))
    for tool, arguments in [
        ("projects_list_projects", {}),
        ("projects_create_project", {"body": {"name": "Invoices"}}),
    ]:
        picture.line(("> ", "p"), (f"tools/call {tool} {json.dumps(arguments)}", "b"))
        answer = agent.ask("tools/call", name=tool, arguments=arguments)
        for block in answer["content"]:
            wrapped(block["text"])
        picture.line((f"  isError: {json.dumps(answer['isError'])}", "d"))
    agent.server.stdin.close()
    picture.line(("# ", "p"), ("the log, on standard error", "b"))
    wrapped(agent.server.stderr.read().strip(), "d")
    agent.server.wait()
    picture.write("shell-agent.svg", "An agent lists the tools of platform mcp, reads, and is refused a change")


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    programs = str(pathlib.Path(sys.argv[1]).resolve())
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PLATFORM_", "XDG_"))}
    with tempfile.TemporaryDirectory() as home:
        environment = dict(kept, HOME=home, TERM="xterm-256color", PATH=f"{programs}:{kept['PATH']}")
        command = [f"{programs}/platform-sandbox", "--json", "--end-with-stdin", "--step", "700", "--secrets", f"{home}/secrets"]
        pipe = subprocess.PIPE
        sandbox = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)
        addresses = json.loads(sandbox.stdout.readline())
        client = addresses["clients"][0]
        login = ["--base-url", addresses["base_url"], "--issuer", addresses["auth_url"], "--client-id", client["client_id"]]
        login += ["--secret-file", client["secret_file"]]
        subprocess.run([f"{programs}/platform", "login", *login], env=environment, check=True)
        shell_wait(environment)
        shell_agent(environment)
        sandbox.stdin.close()
        sandbox.wait()


main()
