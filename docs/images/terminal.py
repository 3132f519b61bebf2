#!/usr/bin/env python3
"""Writes shell-wait.svg and shell-agent.svg beside this file: sessions of `platform` with a sandbox of its own, as the programs printed them.

usage: terminal.py FOLDER      FOLDER has `platform` and `platform-sandbox`, such as target/debug
"""

import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cli"))
from sessions import COLUMNS, Sandbox, Session, in_terminal

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
        for line in text.rstrip("\n").split("\n"):
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


def shell_wait(environment):
    picture = Picture()
    environment = dict(environment, PLATFORM_ASSUMED="1")
    picture.line(("$ ", "p"), ("export PLATFORM_ASSUMED=1", "b"))
    listed = subprocess.check_output(["bash", "-c", "platform virtual-machines list"], env=environment)
    machine = json.loads(listed)[0]["id"]
    commands = [
        ("platform virtual-machines list", None),
        (f"platform virtual-machines start --wait --label morning \\\n    {machine}", b"state-changed\r\n"),
        ("platform operations list --fields label,kind,status,state", None),
        ("platform operations wait morning", None),
        ("platform operations list", None),
    ]
    for command, interrupted_at in commands:
        first, *others = command.split("\n")
        picture.line(("$ ", "p"), (first, "b"))
        for line in others:
            picture.line((line, "b"))
        picture.printed(in_terminal(command, environment, interrupted_at)[0])
    picture.write("shell-wait.svg", "platform waits for a virtual machine, is interrupted, and goes on waiting")


def shell_agent(environment):
    picture = Picture()

    def wrapped(text, style=""):
        for line in text.split("\n"):
            for part in textwrap.wrap(line, COLUMNS - 2, break_on_hyphens=False) or [""]:
                picture.line(("  ", ""), (part, style))

    create = "platform projects create --name Billing --output /dev/null"
    in_terminal(create, environment)
    agent = Session(["bash", "-c", "exec platform mcp"], environment)
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
    picture.line(("# ", "p"), ("the log, on standard error", "b"))
    wrapped(agent.end().strip(), "d")
    picture.write("shell-agent.svg", "An agent lists the tools of platform mcp, reads, and is refused a change")


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    programs = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as home:
        sandbox = Sandbox(programs, home, TERM="xterm-256color")
        shell_wait(sandbox.environment)
        shell_agent(sandbox.environment)
        sandbox.end()


main()
