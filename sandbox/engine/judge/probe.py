"""Prints cells of COMPARISON.md for a service: `probe.py --serve 'driftless-sandbox --contract {contract} --data {data} --port 0 serve'`.

Starts the service on the small contract of service.py, in each dialect, with one named example for each request and answer.
"""
import argparse
import json
import pathlib
import statistics
import tempfile
import time
import urllib.error
import urllib.request
import uuid

from judge import Service
from service import contract

KNOWN = "3f2b8a52-6d0e-4d5e-9a1b-0c2d4e6f8a01"


def with_examples(document):
    """Examples that belong together by name, for tools that answer with examples."""
    item = {"id": KNOWN, "name": "Rex"}

    def examples(part, value):
        for media in part.get("content", {}).values():
            media["examples"] = {"rex": {"value": value}}

    listing, one = document["paths"]["/widgets"], document["paths"]["/widgets/{id}"]
    examples(listing["get"]["responses"]["200"], {"items": [item]})
    examples(listing["post"].get("requestBody", {}), item)
    examples(listing["post"]["responses"]["201"], item)
    examples(one["get"]["responses"]["200"], item)
    if "openapi" in document:
        one["parameters"][0]["examples"] = {"rex": {"value": KNOWN}}
    return document


class User:
    def __init__(self, url):
        self.url = url
        self.base = next((base for base in ("/api", "") if self.call("GET", "/widgets", base=base)[0] == 200), "/api")

    def call(self, method, path, body=None, base=None):
        content = None if body is None else json.dumps(body).encode()
        headers = {"X-Key": "probe", "Accept": "application/json", "Content-Type": "application/json"}
        address = self.url + (self.base if base is None else base) + path
        try:
            with urllib.request.urlopen(urllib.request.Request(address, content, headers, method=method), timeout=20) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        except OSError as error:
            return 0, str(error)
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text.decode("utf-8", "replace")[:80]


def name(answer):
    return answer[1].get("name") if answer[0] == 200 and isinstance(answer[1], dict) else None


def walk(user):
    created = user.call("POST", "/widgets", {"id": KNOWN, "name": "Max"})
    identifier = created[1].get("id") if isinstance(created[1], dict) else None
    return created, identifier, user.call("GET", f"/widgets/{identifier}") if identifier else (0, None)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", required=True, help="command of the service; {contract} and {data} stand for files")
    parser.add_argument("--starts", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        paths = {}
        for dialect in ("2.0", "3.0", "3.1"):
            paths[dialect] = folder / f"contract-{dialect}.json"
            paths[dialect].write_text(json.dumps(with_examples(contract(dialect))))

        def serve(data, dialect="3.0"):
            return Service(arguments.serve.replace("{data}", str(folder / data)), paths[dialect])

        for dialect in paths:
            try:
                with serve(f"dialect-{dialect}", dialect) as url:
                    print(f"dialect {dialect}: list answers {User(url).call('GET', '/widgets')[0]}")
            except RuntimeError as error:
                print(f"dialect {dialect}: {error}")
        with serve("state") as url:
            user = User(url)
            print(f"unknown identifier: {user.call('GET', f'/widgets/{uuid.uuid4()}')[0]}")
            print(f"body without a required member: {user.call('POST', '/widgets', {})[0]}")
            created, identifier, read = walk(user)
            print(f"create: {created[0]}, then read: {read[0]}, name {name(read)} (sent: Max)")
        with serve("state") as url:
            read = User(url).call("GET", f"/widgets/{identifier}")
            print(f"read after a restart: {read[0]}, name {name(read)}")
        answers, seconds = [], []
        for start in range(max(arguments.starts, 2)):
            begin = time.monotonic()
            with serve(f"start-{start}") as url:
                user = User(url)
                user.call("GET", "/widgets")
                seconds.append(time.monotonic() - begin)
                answers.append([user.call("GET", "/widgets"), user.call("GET", "/health"), user.call("GET", f"/widgets/{KNOWN}"), walk(user)])
        print(f"same answers after each of {len(answers)} starts: {all(one == answers[0] for one in answers)}")
        print(f"seconds to the first answer, median: {statistics.median(seconds):.2f}")


if __name__ == "__main__":
    main()
