#!/usr/bin/env python3
"""The commands behind the cells of COMPARISON.md: prints each command, and the lines of its output that say what the cell says.

usage: compared.py FOLDER [--start]       FOLDER has `platform` and `platform-sandbox`; --start measures instead
       compared.py --time COMMAND…        measures commands in turn, each a word

Uses `gh`, `az`, `openapi-mcp-generator` (with `node` and `npm`) and `fastmcp` of PATH, and skips those that are absent. All requests go to servers on loopback.
"""

import http.server
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from sessions import Sandbox, Session, in_terminal

HOSTILE = "\x1b]0;owned\x07\x1b[31mred"
RUNS = 30


class Hostile(http.server.BaseHTTPRequestHandler):
    """Answers with terminal escapes. As a proxy, it answers for every host."""

    def do_GET(self):
        text = "text" in self.path
        body = HOSTILE if text else json.dumps([{"id": 1, "name": HOSTILE}])
        if "missing" in self.path:
            body = json.dumps({"title": HOSTILE, "message": HOSTILE})
        self.send_response(404 if "missing" in self.path else 200)
        self.send_header("content-type", "text/plain" if text else "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def times(commands, environment, runs):
    """Seconds of each command, in turn."""
    taken = {command: [] for command in commands}
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    for _ in range(runs):
        for command in commands:
            before = time.perf_counter()
            subprocess.run(["env", *command.split()], env=environment, check=False, **quiet)
            taken[command].append(time.perf_counter() - before)
    return taken


def report(measured):
    for name, taken in measured.items():
        median, least, most = (value * 1000 for value in (statistics.median(taken), min(taken), max(taken)))
        print(f"{name:60} median {median:6.1f} ms, least {least:6.1f} ms, most {most:6.1f} ms")


class Compared:
    def __init__(self, programs, home):
        self.home = home
        hostile = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
        threading.Thread(target=hostile.serve_forever, daemon=True).start()
        self.hostile = f"http://127.0.0.1:{hostile.server_port}"
        self.sandbox = Sandbox(
            programs, home, PLATFORM_ASSUMED="1", NO_COLOR="1", TERM="xterm", H=self.hostile,
            GH_HOST="github.localhost", GH_ENTERPRISE_TOKEN="none", GH_TOKEN="none", GH_NO_UPDATE_NOTIFIER="1",
            AZURE_CONFIG_DIR=f"{home}/azure", AZURE_CORE_COLLECT_TELEMETRY="no", AZURE_CORE_NO_COLOR="1",
        )
        self.environment, self.addresses = self.sandbox.environment, self.sandbox.addresses

    def observe(self, row, command, pattern):
        """Runs a command, and prints the lines that match, with escapes made visible."""
        program = command.split()[0]
        if not shutil.which(program, path=self.environment["PATH"]):
            return print(f"{row}: `{program}` is absent")
        environment = dict(self.environment)
        if program == "gh":
            environment["http_proxy"] = self.hostile
        output, code = in_terminal(command, environment)
        lines = [line for line in output.split("\n") if re.search(pattern, line)]
        print(f"\n{row}\n$ {command}    [exit code {code}]")
        for line in lines[:6] or ["(no line matches)"]:
            print("   ", "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)[:160])

    def shell(self):
        see = self.observe
        machine = json.loads(in_terminal("platform virtual-machines list -o json | cat", self.environment)[0])[0]["id"]
        see("flags", "platform projects create --help", r"--(name|team-id) ")
        see("flags", "gh api --help", r"--(field|raw-field) |key\[subkey\]")
        see("a body to fill in", "platform projects create --body-template", r"name")
        see("a body to fill in", "gh api --help", r"template")
        see("a body to fill in", "az rest --help", r"--body|template")
        see("checked values", "platform virtual-machines update-shutdown-timer --minutes x " + machine, r"platform:|next:")
        see("checked values", "platform projects create --team-id x", r"platform:|next:")
        see("an unlisted value", "platform devops create-repository --name x --visibility other --dry-run", r"other")
        see("an unlisted value", "az vm create --priority Other", r"not a valid value")
        see("files", "platform devops create-repository-file --help", r"--files")
        see("files, requests by path", "az rest --help", r"--(body|method|uri) ")
        see("files, pages, filters, cache, GraphQL", "gh api --help", r"--(input|paginate|jq|template|cache) |endCursor: ")
        see("pages", "platform forum list-threads --help", r"--(all|limit)")
        see("output", "platform --help", r"--(format|fields|dry-run|profile) ")
        see("output, filters", "az rest --help", r"--(output|query) |tsv|JMESPath")
        see("asynchronous operations", f"timeout -s KILL 1 platform virtual-machines start --wait --label a {machine}", r"")
        see("asynchronous operations", "platform operations wait a", r"")
        see("asynchronous operations", "az vm start --help", r"--no-wait")
        see("signing in", "platform login --help", r"--(device|secret-file|with-token|token-file)")
        see("signing in", "gh auth login --help", r"browser|--with-token ")
        see("signing in", "az login --help", r"browser|--(use-device-code|service-principal|certificate|identity|federated-token) ")
        see("GraphQL", "platform graphql --help", r"--subscribe")
        see("completion", "env _CLAP_COMPLETE_INDEX=2 COMPLETE=bash platform -- platform projects cre", r"")
        see("completion", "gh completion --help", r"^### ")
        for code in ("frobnicate", "projects get none", "projects list --profile none"):
            see("exit codes", f"platform {code}", r"error|platform:|next:")
        see("exit codes", "gh help exit-codes", r"exit code")
        see("exit codes", "az vm lst", r"ERROR")
        see("exit codes", "az rest --url $H/missing --skip-authorization-header", r"ERROR")
        token = f"--base-url {self.hostile} --with-token --profile hostile"
        see("terminal escapes", f"echo none | platform login {token}", r"signed in")
        for path in ("list", "text", "missing"):
            see("terminal escapes", f"platform api GET /{path} --profile hostile", r"red")
            see("terminal escapes", f"gh api /{path}", r"red")
            for form in ("json", "table", "tsv"):
                see("terminal escapes", f"az rest --url $H/{path} --skip-authorization-header -o {form}", r"red")
        see("profiles", "gh api --help", r"--hostname")
        see("profiles", "az account --help", r"^    set")
        see("profiles", "az cloud --help", r"^    set")
        see("prompts", "gh issue create --help", r"Will prompt")
        see("prompts", "az login --help", r"prompt")
        see("aliases and extensions", "gh --help", r"^  (alias|extension)")
        see("aliases, extensions, prompts", "az --help", r"^    (extension|interactive)")

    def servers(self):
        """The commands of the servers of tools; the two others read the contract of the sandbox."""
        contract = pathlib.Path(self.home, "contract.json")
        command = ["curl", "-s", self.addresses["contract_url"], "-o", str(contract)]
        subprocess.run(command, check=True)
        environment = self.environment
        found = {"platform mcp": ["platform", "mcp"], "platform mcp --tools all": ["platform", "mcp", "--tools", "all"]}
        found["platform mcp --tools all --allow '*:write'"] = ["platform", "mcp", "--tools", "all", "--allow", "*:write"]
        if shutil.which("openapi-mcp-generator"):
            folder = f"{self.home}/generated"
            line = f"openapi-mcp-generator -i {contract} -b {self.addresses['base_url']} -o {folder} && cd {folder}"
            subprocess.run(f"({line} && npm install --silent && npm run build) >&2", shell=True, env=environment, check=True)
            found["openapi-mcp-generator"] = ["node", f"{folder}/build/index.js"]
        if shutil.which("fastmcp"):
            token = subprocess.check_output("platform token", shell=True, env=environment, text=True).strip()
            source = (
                "import json, os, sys, httpx2, fastmcp\n"
                "headers = {'authorization': 'Bearer ' + os.environ['TOKEN']}\n"
                "client = httpx2.AsyncClient(base_url=sys.argv[2], headers=headers)\n"
                "fastmcp.FastMCP.from_openapi(json.load(open(sys.argv[1])), client).run(show_banner=False)\n"
            )
            python = pathlib.Path(shutil.which("fastmcp")).with_name("python3")
            environment["TOKEN"] = token
            found["fastmcp"] = [str(python), "-c", source, str(contract), self.addresses["base_url"]]
        for program in ("openapi-mcp-generator", "fastmcp"):
            if program not in found:
                print(f"tools for agents: `{program}` is absent")
        return {name: ["env", f"PATH={environment['PATH']}", *words] for name, words in found.items()}

    def tools_for_agents(self):
        for name, command in self.servers().items():
            session = Session(command, self.environment)
            tools, size, page = [], 0, {}
            while not tools or page:
                answer = session.ask("tools/list", **page)
                tools, size = tools + answer["tools"], size + session.size
                page = {"cursor": answer["nextCursor"]} if answer.get("nextCursor") else {}
            removals = [tool["name"] for tool in tools if "delete" in tool["name"].lower()]
            hints = sum("annotations" in tool for tool in tools)
            schemas = sum("outputSchema" in tool for tool in tools)
            print(f"\n{name}: {len(tools)} tools in {size} bytes, {len(removals)} removals, {hints} with hints, {schemas} with an output schema")
            print("   ", ", ".join(tool["name"] for tool in tools[:4]))
            start = next((tool for tool in tools if re.fullmatch(r"(?i)starts?_a_virtual.*|PostApiVirtualMachinesStart", tool["name"])), None)
            start = start["name"] if start else "virtual_machines_start_virtual_machine"
            member = "virtual_machine_id" if name.startswith("platform") else "virtualMachineId"
            for arguments in ({}, {member: "no UUID"}, {member: "00000005-0000-4000-8000-00000000000f", "more": 1}):
                print(f"    {start} {json.dumps(arguments)}\n     ", json.dumps(session.ask("tools/call", name=start, arguments=arguments))[:260])
            print("    log:", *[f"\n      {line[:160]}" for line in session.end().strip().split("\n")[-4:]])

    def start(self):
        commands = ["platform --help", "gh --help", "az --help", "az vm start --help"]
        commands = [command for command in commands if shutil.which(command.split()[0], path=self.environment["PATH"])]
        taken = times(commands, self.environment, RUNS)
        for name, command in self.servers().items():
            until = taken[f"{name}, until tools/list"] = []
            for _ in range(RUNS // 3):
                before = time.perf_counter()
                session = Session(command, self.environment)
                session.ask("tools/list")
                until.append(time.perf_counter() - before)
                session.end()
        report(taken)


def main():
    if sys.argv[1:2] == ["--time"]:
        return report(times(sys.argv[2:], os.environ, RUNS))
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--start"]):
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as home:
        compared = Compared(pathlib.Path(sys.argv[1]).resolve(), home)
        if sys.argv[2:]:
            compared.start()
        else:
            compared.shell()
            compared.tools_for_agents()
        compared.sandbox.end()


main()
