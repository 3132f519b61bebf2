"""The judge finds nothing in a service that keeps to its contract, and each mutation of that service."""
import json
import pathlib
import sys
import tempfile
import types
import unittest

import answer
import client
import judge
import others
from contract import Contract, same
from sample import Sampler
from service import MUTATIONS, MUTATIONS_OF_3_2, contract

FOLDER = pathlib.Path(__file__).parent


def run(mutation, dialect="3.0"):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "contract.json"
        path.write_text(json.dumps(contract(dialect)))
        serve = f"{sys.executable} {FOLDER}/service.py '{mutation}' --contract {{contract}}"
        return judge.judge((path, types.SimpleNamespace(serve=serve, seed=1, seconds=60)))


class Services(unittest.TestCase):
    def setUp(self):
        client.LIMIT = 1.0

    def test_a_service_that_keeps_to_its_contract_gets_everything(self):
        for dialect, operations in (("2.0", 9), ("3.0", 9), ("3.1", 9), ("3.2", 15)):
            with self.subTest(dialect):
                report = run("none", dialect)
                self.assertNotIn("error", report)
                self.assertEqual(judge.count(report), [operations, operations, 0, 2, 2, 0], judge.findings([report]))
                steps = report["collections"][0]["steps"]
                self.assertEqual(steps, ["create", "read", "list", "put", "patch", "delete", "read after delete", "unknown identifier", "required member"])

    def test_a_service_without_the_base_path_is_judged_without_it(self):
        report = run("without the base path")
        self.assertEqual(report["base"], "")
        self.assertEqual(judge.count(report)[:3], [9, 9, 0], judge.findings([report]))

    def test_each_mutation_is_found(self):
        for mutation, cause in (MUTATIONS | MUTATIONS_OF_3_2).items():
            if cause:
                with self.subTest(mutation):
                    report = run(mutation, "3.2" if mutation in MUTATIONS_OF_3_2 else "3.0")
                    entries = report["operations"] + report["collections"]
                    wrong = [entry["cause"] for entry in entries if entry["verdict"] in ("wrong", "fails")]
                    self.assertTrue(any(cause in text for text in wrong), f"{mutation}: {wrong}, {report.get('error')}")

    def test_a_service_that_does_not_start_serves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "contract.json"
            path.write_text(json.dumps(contract("3.0")))
            report = judge.judge((path, types.SimpleNamespace(serve="false", seed=1, seconds=60)))
        self.assertEqual(judge.count(report), [0, 9, 0, 0, 0, 0])


class Parts(unittest.TestCase):
    def test_samples_fit_their_schemas(self):
        reader = Contract(json.dumps(contract("3.0")))
        sampler = Sampler(reader, 1)
        for schema in (
            {"type": "integer", "minimum": 3, "maximum": 4, "exclusiveMinimum": True},
            {"type": "number", "multipleOf": 0.25, "maximum": 2},
            {"type": "string", "pattern": "^[A-Z]{2}[0-9]{3}$"},
            {"type": "array", "items": {"type": "integer"}, "minItems": 3, "uniqueItems": True},
            {"allOf": [{"$ref": "#/components/schemas/Widget"}, {"required": ["kind"]}]},
            {"oneOf": [{"type": "integer"}, {"type": "object", "required": ["a"], "properties": {"a": {"enum": [1]}}}]},
        ):
            value, mode = sampler.valid(schema)
            self.assertIsNotNone(mode, schema)
            self.assertTrue(reader.accepts(value, schema), (value, schema))
        self.assertEqual(sampler.valid({"type": "string", "minLength": 3, "maxLength": 2}), (None, None))

    def test_yaml_keeps_times_as_text(self):
        reader = Contract("openapi: 3.0.0\npaths:\n  /a:\n    get:\n      responses:\n        200: {description: ''}\nx-day: 2026-01-01\n")
        self.assertEqual((reader.raw["x-day"], reader.operations[0].success()), ("2026-01-01", ["200"]))

    def test_equality_is_of_instants_and_numbers(self):
        self.assertTrue(same("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000+00:00") and same(1, 1.0))
        for left, right in ((True, 1), ("a", "b"), ([1], [1, 2]), (None, 0)):
            self.assertFalse(same(left, right))


class Streams(unittest.TestCase):
    def accusation(self, media, body, item=None):
        content = {media: {"itemSchema": item or {"type": "object", "required": ["data"]}}}
        reader = Contract(json.dumps({"openapi": "3.2.0", "paths": {"/a": {"get": {"responses": {"200": {"description": "", "content": content}}}}}}))
        given = types.SimpleNamespace(status=200, body=body.encode(), media=media, headers={}, json=lambda: json.loads(body))
        return answer.accusation(reader, reader.operations[0], given)[0]

    def test_streams_are_read_by_their_media_types(self):
        integer = {"type": "integer"}
        text = {"type": "string"}
        for media, body, item, cause in (
            ("text/event-stream", "data: a\n\n", None, None),
            ("text/event-stream", "\ufeffdata: a\r\n\r\n", None, None),
            ("text/event-stream", "data: a\u2028b\n\n", {"type": "object", "properties": {"data": {"const": "a\u2028b"}}}, None),
            ("text/event-stream", "data: a\n", None, "stream is not read"),
            ("text/event-stream", ": alive\n\n", None, None),
            ("text/event-stream", "event: a\n\n", None, "body invalid: required"),
            ("application/jsonl", "1\n2\n", integer, None),
            ("application/jsonl", '"a\u2028b"\n', text, None),
            ("application/jsonl", "1\n2", text, "body invalid: type"),
            ("application/json-seq", "\x1e[\n1]\n\x1e[2]\n", {"type": "array"}, None),
            ("multipart/mixed", "--a\r\n\r\n1\r\n--a--", integer, None),
            ("application/json", "[1, 2]", integer, None),
            ("application/json", "[1, true]", text, "body invalid: type"),
        ):
            with self.subTest(media=media, body=body):
                self.assertEqual(self.accusation(media, body, item), cause)


class Causes(unittest.TestCase):
    TEXT = "# a remark\nfolder/a.json\n    schemathesis | ST103 | 2 | a cause\n    prism | VIOLATIONS response oneOf | 1 | a cause\nb.json\n"

    def reports(self, **changes):
        tools = {"schemathesis": {"cases": 9, "findings": {"ST103 Undocumented status code": 2}}, "prism": {"passed": 3, "findings": {"VIOLATIONS response oneOf": 1}}}
        return [{"contract": "a"} | tools | changes, {"contract": "b", "schemathesis": {"cases": 1, "findings": {}}, "prism": {"passed": 1, "findings": {}}}]

    def test_each_finding_has_a_cause(self):
        most = others.causes(self.TEXT)
        self.assertEqual(most, {("a", "schemathesis", "ST103"): 2, ("a", "prism", "VIOLATIONS response oneOf"): 1})
        others.check(self.reports(), most)
        for changes in (
            {"schemathesis": {"cases": 9, "findings": {"ST103 Undocumented status code": 3}}},
            {"schemathesis": {"cases": 9, "findings": {"ST201 Schema-violating request accepted": 1}}},
            {"prism": {"passed": 3, "findings": {"judge: timeout": 1}}},
            {"schemathesis": {"error": "it did not end in time"}},
            {"prism": {"passed": 0, "findings": {}}},
            {"schemathesis": {"cases": 9, "findings": {"ST103 Undocumented status code": 1}}},
            {"prism": {"passed": 3, "findings": {}}},
        ):
            with self.subTest(changes), self.assertRaises(SystemExit):
                others.check(self.reports(**changes), most)
        with self.assertRaises(SystemExit):
            others.check(self.reports()[1:], most)
        with self.assertRaises(ValueError):
            others.causes("a.json\n    prism | x | 1 |\n")


if __name__ == "__main__":
    unittest.main()
