"""Judges a sandbox over contracts: `judge.py --serve 'driftless-sandbox --contract {contract} --port 0 serve' CONTRACT…`.

Prints a table, the causes of failures, and with --json and --findings the evidence of each.
"""
import argparse
import collections
import datetime
import json
import math
import multiprocessing
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import traceback

from contract import Contract
from walk import Judge

START = 60  # seconds for the first line of a service


class Service:
    """A service of its own for one contract. It is ended by its own id."""

    def __init__(self, command, contract):
        self.log = tempfile.TemporaryFile()
        words = [word.replace("{contract}", str(contract)) for word in shlex.split(command)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=self.log, stdin=subprocess.DEVNULL)
        self.url, self.ready = None, threading.Event()
        threading.Thread(target=self._lines, daemon=True).start()

    def _lines(self):
        for line in self.process.stdout:
            match = re.search(r"listening on (https?://[^\s/]+)", line.decode("utf-8", "replace"))
            if match and self.url is None:
                self.url = match[1]
                self.ready.set()
        self.ready.set()

    def __enter__(self):
        self.ready.wait(START)
        if self.url is None:
            self.log.seek(0)
            error = self.log.read()[-400:].decode("utf-8", "replace").strip()
            self.__exit__()
            raise RuntimeError(f"the service did not start: {error}")
        return self.url

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()


def judge(job):
    path, arguments = job
    report = {"contract": pathlib.Path(path).name, "dialect": "?", "operations": [], "collections": []}
    try:
        contract = Contract(pathlib.Path(path).read_text("utf-8-sig"))
        report |= {"dialect": contract.dialect}
        with Service(arguments.serve, path) as url:
            # The collections come after the operations: a service that answers the first call only is not enough.
            one = Judge(contract, url, arguments.seed, arguments.seconds)
            report["base"] = one.base
            report["operations"] = list(one.operations())
            one.end += arguments.seconds
            report["collections"] = list(one.collections())
    except Exception as error:
        report["error"] = f"{error}" if isinstance(error, RuntimeError) else traceback.format_exc()[-400:]
        if "contract" in locals():
            # A service that does not start serves none of the operations.
            judged = {entry["operation"] for entry in report["operations"]}
            report["operations"] += [
                {"operation": str(op), "verdict": "wrong", "cause": "the service or the judge failed"}
                for op in contract.operations if str(op) not in judged
            ]
    return report


def count(report):
    operations = collections.Counter(entry["verdict"] for entry in report["operations"])
    walks = collections.Counter(entry["verdict"] for entry in report["collections"])
    return [operations["right"], operations["right"] + operations["wrong"], operations["unjudged"],
            walks["holds"], walks["holds"] + walks["fails"], walks["not walkable"]]


def share(part, whole):
    # Rounded down: 100 % is all.
    return f"{math.floor(1000 * part / whole) / 10:.1f} %" if whole else "-"


def row(name, dialect, counts):
    right, judged, unjudged, holds, walked, unwalkable = counts
    return f"| {name} | {dialect} | {right} of {judged} | {share(right, judged)} | {unjudged or ''} | {f'{holds} of {walked}' if walked or unwalkable else '-'} | {unwalkable or ''} |"


def table(reports):
    lines = ["| contract | dialect | operations right | share | not judged | collections that hold | not walkable |", "|---|---|---|---|---|---|---|"]
    total = [0] * 6
    for report in reports:
        counts = count(report)
        total = [left + right for left, right in zip(total, counts)]
        name = report["contract"].rsplit("+", 1)[-1].removesuffix(".json")
        lines.append(row(name if len(name) < 60 else "…" + name[-58:], report["dialect"], counts))
    lines.append(row("**all**", "", total))
    found = total[4] + total[5]
    lines += ["", f"Collections: {total[3]} of {total[4]} hold ({share(total[3], total[4])}); {total[5]} of {found} ({share(total[5], found)}) are not walkable."]
    holding = [entry for report in reports for entry in report["collections"] if entry["verdict"] == "holds"]
    blind = sum(not entry["compared"] for entry in holding)
    lines[-1] += f" Of those that hold, {blind} have no member that is both sent and read; the others have {sum(entry['compared'] for entry in holding)} comparisons."
    return "\n".join(lines)


def causes(reports):
    """Failures by cause: the number, and up to two examples."""
    groups = collections.defaultdict(list)
    for report in reports:
        for entry in report["operations"]:
            if entry["verdict"] != "right":
                groups[f"operation {entry['verdict']}: {entry['cause']}"].append((report, entry))
        for entry in report["collections"]:
            if entry["verdict"] != "holds":
                groups[f"collection {entry['verdict']}: {entry.get('step', '')}: {entry['cause']}"].append((report, entry))
        if "error" in report:
            groups["run"].append((report, {"operation": "", "detail": report["error"]}))
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def findings(reports):
    lines = [f"\n## {datetime.datetime.now(datetime.timezone.utc):%H:%M:%S}\n", table(reports), ""]
    for cause, entries in causes(reports):
        lines.append(f"\n### {len(entries)}: {cause}")
        # Two examples, of different contracts where there are.
        by_contract = {report["contract"]: (report, entry) for report, entry in reversed(entries)}
        examples = list(by_contract.values())[-2:] if len(by_contract) > 1 else entries[:2]
        for report, entry in examples:
            lines.append(f"- {report['contract']}: `{entry.get('operation') or entry.get('collection')}`: {entry.get('detail') or ''}")
            if entry.get("request"):
                lines.append(f"  - request: `{entry['request']}`")
            if "status" in entry:
                lines.append(f"  - answer: {entry['status']} `{entry.get('answer', '')[:400]}`")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("contracts", nargs="+", metavar="CONTRACT")
    parser.add_argument("--serve", required=True, help="command of the service; {contract} stands for the file")
    parser.add_argument("--json", metavar="FILE", help="all verdicts with requests and answers")
    parser.add_argument("--findings", metavar="FILE", help="appends the causes with two examples each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, choices=(1, 2))
    parser.add_argument("--seconds", type=float, default=120, help="for the operations of a contract, and again for its collections")
    parser.add_argument("--least", type=float, nargs=2, metavar=("OPERATIONS", "COLLECTIONS"), help="fail below these percentages")
    arguments = parser.parse_args()
    with multiprocessing.Pool(arguments.jobs) as pool:
        reports = pool.map(judge, [(path, arguments) for path in arguments.contracts], chunksize=1)
    print(table(reports))
    for cause, entries in causes(reports):
        print(f"{len(entries):5} {cause}")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(reports, indent=1))
    if arguments.findings:
        with open(arguments.findings, "a", encoding="utf-8") as file:
            file.write(findings(reports))
    total = [sum(column) for column in zip(*map(count, reports))]
    if arguments.least and (100 * total[0] < arguments.least[0] * total[1] or 100 * total[3] < arguments.least[1] * total[4]):
        sys.exit(f"fewer than {arguments.least[0]} % of operations or {arguments.least[1]} % of collections")


if __name__ == "__main__":
    main()
