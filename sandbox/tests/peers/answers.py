"""Says how each operation of the contract was answered in the runs of schemathesis. Every one has to succeed at least once."""

import collections
import json
import pathlib
import sys

work = pathlib.Path(sys.argv[1])
answers = collections.defaultdict(collections.Counter)
for file in work.glob("answers-*.json"):
    for answer, count in json.loads(file.read_text()).items():
        operation, status = answer.rsplit(" ", 1)
        answers[operation][status] += count
contract = json.loads((work / "contract.json").read_text())
operations = [f"{method.upper()} {path}" for path, item in contract["paths"].items() for method in item]
for operation in operations:
    print(operation, *(f"{status}×{count}" for status, count in sorted(answers[operation].items())))
successes = {name: sum(n for status, n in answers[name].items() if status.startswith("2")) for name in operations}
never = [name for name, count in successes.items() if count == 0]
total = sum(map(sum, (found.values() for found in answers.values())))
print(f"{len(operations)} operations, {total} requests, {sum(successes.values())} successes, {len(never)} never succeeded")
if never:
    sys.exit("no request succeeded, so their success was not checked: " + "; ".join(never))
