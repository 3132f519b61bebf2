"""Two other judges of a sandbox beside this one: schemathesis, and Prism as a proxy that validates what passes through it.

`others.py --serve 'driftless-sandbox --contract {contract} --port 0 serve' --schemathesis st --prism prism CONTRACT…` prints a table, and the findings by
cause. Through Prism goes one valid request for each operation, those of judge.py.
"""
import argparse
import collections
import json
import multiprocessing
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

from contract import Contract
from judge import Service
from walk import Judge


def schemathesis(arguments, path, contract, url):
    """The number of requests, and of findings by check."""
    headers = {name: value for op in contract.operations for name, value in contract.credentials(op)["header"].items()}
    words = [arguments.schemathesis, "run", str(pathlib.Path(path).resolve()), "--origin", url, "--phases", "examples,coverage,fuzzing", "--no-color",
             "--report", "json", "--max-examples", str(arguments.examples), "--seed", str(arguments.seed)]
    for name, value in headers.items():
        words += ["-H", f"{name}: {value}"]
    with tempfile.TemporaryDirectory() as folder:
        try:
            run = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=arguments.seconds, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return {"error": "it did not end in time"}
        reports = list(pathlib.Path(folder).glob("schemathesis-report/*.json"))
        if not reports:
            return {"error": (run.stderr or run.stdout).strip().splitlines()[-1:] or ["no report"]}
        report = json.loads(reports[0].read_text())
    findings = {f"{one['code']} {one['title']}": one["count"] for one in report["failures"] + report["errors"] if one.get("code")}
    other = sum(one.get("count", 1) for one in report["errors"] if not one.get("code"))
    return {"cases": report["test_cases"]["generated"], "findings": findings | ({"error of its own": other} if other else {}), "text": run.stdout}


def prism(arguments, path, contract, url):
    """The number of operations whose request and answer passed, and of findings by kind."""
    seen, findings, examples = [], collections.Counter(), {}
    with Service(f"{arguments.prism} proxy --errors -p 0 {{contract}} {url}", path) as proxy:
        one = Judge(contract, proxy, arguments.seed, arguments.seconds)
        send = one.client.send

        def sniff(request):
            answer = send(request)
            seen.append(answer.body)
            return answer

        one.client.send = sniff
        for result in one.operations():
            text = (seen[-1] if seen else b"").decode("utf-8", "replace")
            error = re.search(r"stoplight\.io/prism/errors#([A-Z_]+)", text)
            kind = None
            if error and result["verdict"] != "unjudged":
                places = json.loads(text).get("validation") or [{}]
                kind = " ".join([error[1], *sorted({f"{(place.get('location') or ['?'])[0]} {place.get('code', '')}".strip() for place in places})])
                if error[1] in ("NO_RESPONSE_RESOURCE_PROVIDED", "UPSTREAM_NOT_IMPLEMENTED"):
                    kind = error[1]
            elif result["verdict"] == "wrong":
                kind = f"judge: {result['cause']}"
            elif result["verdict"] == "right":
                findings["passed"] += 1
            if kind:
                findings[kind] += 1
                examples.setdefault(kind, (result["operation"], result.get("request", ""), text[:1500]))
            seen.clear()
    return {"passed": findings.pop("passed", 0), "findings": dict(findings), "examples": examples}


def judged(job):
    path, arguments = job
    contract = Contract(pathlib.Path(path).read_text("utf-8-sig"))
    report = {"contract": pathlib.Path(path).stem, "dialect": contract.dialect, "operations": len(contract.operations)}
    for tool in (schemathesis, prism):
        # A state of its own: the first tool leaves items behind.
        try:
            with Service(arguments.serve, path) as url:
                report[tool.__name__] = tool(arguments, path, contract, url)
        except (OSError, RuntimeError, ValueError) as error:
            report[tool.__name__] = {"error": str(error)[-300:]}
    return report


def cell(result, first, findings):
    if "error" in result:
        return f"{first} | not judged: {result['error']}"
    return f"{first} | {', '.join(f'{count} {kind}' for kind, count in sorted(findings.items())) or 'none'}"


def table(reports):
    lines = ["| contract | dialect | operations | requests of schemathesis | its findings | pass Prism | findings of Prism |", "|---|---|---|---|---|---|---|"]
    for report in reports:
        name = report["contract"].rsplit("+", 1)[-1]
        name = name if len(name) < 50 else "…" + name[-48:]
        one, other = report["schemathesis"], report["prism"]
        lines.append(f"| {name} | {report['dialect']} | {report['operations']} | {cell(one, one.get('cases', '-'), kinds(report, 'schemathesis'))} | "
                     f"{cell(other, other.get('passed', '-'), kinds(report, 'prism'))} |")
    return "\n".join(lines)


def kinds(report, tool):
    """The findings of a tool by kind: for schemathesis the code without its title."""
    result = collections.Counter()
    for kind, count in report[tool].get("findings", {}).items():
        result[kind.split(" ")[0] if kind.startswith("ST") else kind] += count
    return result


def causes(text):
    """The number of findings of each contract, tool and kind that have a cause. A line of them is indented, below the line of its contract."""
    counts, contract = {}, None
    for line in filter(None, map(str.rstrip, text.splitlines())):
        if line.startswith(" "):
            tool, kind, count, cause = (part.strip() for part in line.split("|", 3))
            if not cause:
                raise ValueError(f"a finding without a cause: {line}")
            counts[contract, tool, kind] = int(count)
        elif not line.startswith("#"):
            contract = pathlib.Path(line).stem
    return counts


def differences(reports, counts):
    """The findings that are more or fewer than those with a cause, the tools that judged nothing, and the contracts without a report, a line each."""
    actual, lines = {}, []
    for report in reports:
        for tool, judged_by in (("schemathesis", "cases"), ("prism", "passed")):
            if not report[tool].get(judged_by):
                lines.append(f"{report['contract']}, {tool}: nothing was judged: {report[tool].get('error', '')}")
            actual |= {(report["contract"], tool, kind): count for kind, count in kinds(report, tool).items()}
    missing = {key[0] for key in counts} - {report["contract"] for report in reports}
    lines += [f"{contract}: the list has it, and no report" for contract in sorted(missing)]
    for key in sorted((actual.keys() | counts.keys())):
        count, expected = actual.get(key, 0), counts.get(key, 0)
        if count != expected and key[0] not in missing:
            lines.append(f"{', '.join(key[:2])}: {count} {key[2]}, and {expected} have a cause")
    return lines


def check(reports, counts):
    """Ends with an error if the findings are not those of the list, in either direction."""
    lines = differences(reports, counts)
    if lines:
        sys.exit("\n".join(["", *lines]))
    print(f"\nEach of {len(counts)} kinds of findings has a cause.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("contracts", nargs="+", metavar="CONTRACT")
    parser.add_argument("--serve", required=True)
    parser.add_argument("--schemathesis", required=True)
    parser.add_argument("--prism", required=True)
    parser.add_argument("--findings", metavar="FILE", help="the text of schemathesis, and an example of each finding of Prism")
    parser.add_argument("--causes", metavar="FILE", help="contracts with the causes of their findings: fail if their findings are others")
    parser.add_argument("--examples", type=int, default=5, help="of schemathesis, for each operation")
    parser.add_argument("--seconds", type=int, default=180, help="for a tool and a contract")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with multiprocessing.Pool(2) as pool:
        reports = pool.map(judged, [(path, arguments) for path in arguments.contracts], chunksize=1)
    print(table(reports))
    for tool in ("schemathesis", "prism"):
        total = collections.Counter()
        for report in reports:
            total.update(report[tool].get("findings", {}))
        print(f"\n{tool}:", *(f"{count:5} {kind}" for kind, count in total.most_common()), sep="\n")
    if arguments.findings:
        text = "".join(f"\n# {report['contract']}\n\n{report['schemathesis'].get('text', '')}\n{json.dumps(report['prism'], indent=1)}\n" for report in reports)
        pathlib.Path(arguments.findings).write_text(text)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\n{usage.ru_utime + usage.ru_stime:.0f} s of processor time")
    if arguments.causes:
        check(reports, causes(pathlib.Path(arguments.causes).read_text()))


if __name__ == "__main__":
    main()
