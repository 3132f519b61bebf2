"""Reads a contract by itself: Swagger 2.0, OpenAPI 3.0 to 3.2 become operations with parameters, bodies and answers."""
import base64
import binascii
import datetime
import json
import math
import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import yaml
from jsonschema import Draft4Validator, Draft202012Validator, FormatChecker, validators

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
BINARY = {"type": "string", "format": "binary"}


class Sequence(dict):
    """The schema of the items of a stream (`itemSchema` of OpenAPI 3.2), as that of an array."""


class Loader(yaml.SafeLoader):
    """Dates and times of YAML stay text, as in JSON."""


Loader.yaml_implicit_resolvers = {
    first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass
class Operation:
    method: str  # in lower case; one of `additionalOperations` as it is sent
    path: str
    parameters: list
    body: dict  # media type -> schema
    answers: dict  # status as declared -> {media type -> schema}, or None if no content is declared
    security: list
    names: list = field(default_factory=list)  # of the path parameters, in the order of the path

    def __str__(self):
        return f"{self.verb} {self.path}"

    @property
    def verb(self):
        return self.method.upper() if self.method in METHODS else self.method

    def success(self):
        """The declared statuses that a valid request may get."""
        success = [status for status in self.answers if status[:1] == "2"]
        return success or [status for status in self.answers if status[:1] == "3" or status == "default"]

    def succeeded(self, status):
        """A declared success, or any if the contract declares none."""
        return status < 300 and (self.answer(status) is not None or not self.success())

    def answer(self, status):
        for key in (str(status), f"{status // 100}XX", f"{status // 100}xx"):
            if key in self.success():
                return key
        return "default" if "default" in self.success() and status < 400 else None

    def accepted(self):
        """The media types that the judge asks for: those of JSON if there are any."""
        declared = [media for status in self.success() for media in self.answers[status] or {}]
        return list(dict.fromkeys([media for media in declared if is_json(media)] or declared))

    def success_schema(self):
        """The schema of the first success with JSON, to know which members an answer has."""
        for status in self.success():
            for media, schema in (self.answers[status] or {}).items():
                if is_json(media):
                    return schema
        return None


def form(path):
    return re.sub(r"\{[^{}]*\}", "{}", path.rstrip("/"))


def is_json(media):
    media = media.split(";")[0].strip().lower()
    return media in ("application/json", "text/json", "*/*", "application/*") or media.endswith("+json")


class Contract:
    def __init__(self, text):
        try:
            self.raw = json.loads(text)
        except ValueError:
            # Keys such as 200 become text by this, as in JSON.
            self.raw = json.loads(json.dumps(yaml.load(text, Loader)))
        self.dialect = ".".join(str(self.raw.get("openapi") or self.raw.get("swagger")).split(".")[:2])
        self.old = self.dialect == "2.0"
        self.checkers = {direction: self._checker(direction) for direction in ("request", "answer", "letter")}
        self.operations = list(self._operations())
        self.by_key = {(op.method, form(op.path)): op for op in self.operations}

    def at(self, method, path):
        """The operation of a path, whatever its parameters are called there."""
        return self.by_key.get((method, form(path)))

    def resolve(self, node):
        """Follows references; a reference that leads nowhere is a schema that accepts anything."""
        for _ in range(64):
            if not isinstance(node, dict) or not isinstance(node.get("$ref"), str):
                return node
            node = self._at(node["$ref"])
        return {}

    def _at(self, reference):
        node = self.raw
        for part in reference.removeprefix("#").split("/")[1:]:
            part = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(node, list) and part.isdigit() and int(part) < len(node):
                node = node[int(part)]
            elif isinstance(node, dict) and part in node:
                node = node[part]
            else:
                return {}
        return node if reference.startswith("#") else {}

    def errors(self, value, schema, direction):
        return sorted(self.checkers[direction](schema).iter_errors(value), key=lambda error: len(error.absolute_path))

    def wrong(self, value, schema):
        """Errors of an answer; none if it fits the schema to the letter or with open parts of an allOf."""
        errors = self.errors(value, schema, "answer")
        return errors if errors and not self.accepts(value, schema, "letter") else []

    def accepts(self, value, schema, direction="request"):
        return next(self.checkers[direction](schema).iter_errors(value), None) is None

    def only(self, schema, word):
        """`readOnly` or `writeOnly`, at the member or at the schema that it refers to."""
        target = self.resolve(schema)
        return any(isinstance(node, dict) and node.get(word) is True for node in (schema, target))

    def _checker(self, direction):
        hidden = "readOnly" if direction == "request" else "writeOnly"
        base = Draft202012Validator if self.dialect >= "3.1" else Draft4Validator

        def nullable(schema):
            return schema.get("nullable") is True or schema.get("x-nullable") is True

        def or_null(check):
            def checked(validator, value, instance, schema):
                if not (instance is None and nullable(schema)):
                    yield from check(validator, value, instance, schema) or ()

            return checked

        def reference(validator, target, instance, schema):
            yield from validator.descend(instance, self.resolve({"$ref": target}))

        def kind(validator, value, instance, schema):
            if value != "file":
                yield from base.VALIDATORS["type"](validator, value, instance, schema) or ()

        def required(validator, names, instance, schema):
            if isinstance(names, list):
                members = schema.get("properties") or {}
                names = [name for name in names if not self.only(members.get(name), hidden)]
                yield from base.VALIDATORS["required"](validator, names, instance, schema) or ()

        def pattern(validator, value, instance, schema):
            try:
                re.compile(value)
            except re.error:
                return  # of another dialect of expressions: not used as an accusation
            yield from base.VALIDATORS["pattern"](validator, value, instance, schema) or ()

        # Generators close each part of an allOf, which excludes the members of the other parts, so that hardly an answer fits the
        # schema. Answers are judged as if the parts were open. Requests are not: a service may keep to the letter.
        def parts(validator, schemas, instance, schema):
            for index, part in enumerate(schemas):
                part = self.resolve(part)
                if direction == "answer" and isinstance(part, dict) and part.get("additionalProperties") is False:
                    part = {key: value for key, value in part.items() if key != "additionalProperties"}
                yield from validator.descend(instance, part, schema_path=index)

        def closed(validator, value, instance, schema):
            if not (direction == "answer" and value is False and schema.get("allOf")):
                yield from base.VALIDATORS["additionalProperties"](validator, value, instance, schema) or ()

        own = {name: or_null(base.VALIDATORS[name]) for name in ("anyOf", "oneOf", "enum")} | {"allOf": or_null(parts)}
        own |= {"$ref": or_null(reference), "type": or_null(kind), "required": required, "pattern": pattern, "additionalProperties": closed}
        cls = validators.extend(base, own)
        return lambda schema: cls(schema, format_checker=FORMATS)

    def _operations(self):
        for path, item in (self.raw.get("paths") or {}).items():
            item = self.resolve(item)
            for method in METHODS:
                if isinstance(item, dict) and isinstance(item.get(method), dict):
                    yield self._operation(method, path, item, item[method])
            for method, raw in ((item.get("additionalOperations") if isinstance(item, dict) else None) or {}).items():
                yield self._operation(method, path, item, raw)

    def _operation(self, method, path, item, raw):
        merged = {}
        for parameter in (item.get("parameters") or []) + (raw.get("parameters") or []):
            parameter = self.resolve(parameter)
            merged[parameter.get("name"), parameter.get("in")] = parameter
        parameters, form, required, body = [], {}, [], {}
        consumes = raw.get("consumes") or self.raw.get("consumes") or ["application/json"]
        for (name, where), parameter in merged.items():
            if where == "body":
                body = {media: parameter.get("schema") or {} for media in consumes}
            elif where == "formData":
                form[name] = self._old_schema(parameter)
                required += [name] if parameter.get("required") else []
            else:
                parameters.append(self._parameter(parameter))
        if form:
            file = any(schema == BINARY for schema in form.values())
            media = [media for media in consumes if "form" in media] or ["application/x-www-form-urlencoded"]
            media = ["multipart/form-data"] if file else media
            body = {media[0]: {"type": "object", "properties": form} | ({"required": required} if required else {})}
        content = (self.resolve(raw.get("requestBody")) or {}).get("content") or {}
        body |= {media: self._content(entry) for media, entry in content.items()}
        produces = raw.get("produces") or self.raw.get("produces") or ["application/json"]
        answers = {}
        for status, answer in (raw.get("responses") or {}).items():
            answer = self.resolve(answer)
            if not isinstance(answer, dict):
                continue
            content = {media: self._content(entry) for media, entry in (answer.get("content") or {}).items()}
            if "schema" in answer and self.old:
                content = {media: answer["schema"] for media in produces}
            answers[str(status)] = content or None
        security = raw.get("security", self.raw.get("security")) or []
        return Operation(method, path, parameters, body, answers, security, re.findall(r"\{([^{}]+)\}", path))

    def _content(self, entry):
        """The schema of a media type, which OpenAPI 3.2 can refer to."""
        entry = self.resolve(entry)
        if "itemSchema" in entry and "schema" not in entry:
            return Sequence(type="array", items=entry["itemSchema"])
        return entry.get("schema") or {}

    def _old_schema(self, parameter):
        if parameter.get("type") == "file":
            return BINARY
        no_schema = ("name", "in", "required", "description", "allowEmptyValue", "collectionFormat")
        return {key: value for key, value in parameter.items() if key not in no_schema}

    def _parameter(self, parameter):
        where, content = parameter.get("in"), parameter.get("content")
        schema = self._old_schema(parameter) if self.old else parameter.get("schema") or {}
        for entry in (content or {}).values():
            schema = entry.get("schema") or {}
        style = parameter.get("style") or ("form" if where in ("query", "cookie") else "simple")
        separator = {"ssv": " ", "tsv": "\t", "pipes": "|"}.get(parameter.get("collectionFormat"), ",")
        separator = {"spaceDelimited": " ", "pipeDelimited": "|"}.get(style, separator)
        explode = parameter.get("explode", style == "form" and not self.old)
        if parameter.get("collectionFormat") == "multi":
            explode = True
        return {"name": parameter.get("name"), "in": where, "required": where == "path" or parameter.get("required") is True,
                "schema": schema, "style": style, "explode": explode, "separator": separator, "json": bool(content),
                "media": next(iter(content or {}), None)}

    def base(self):
        """The path of the first server, without the values of variables that have no default."""
        if self.old:
            return (self.raw.get("basePath") or "").rstrip("/")
        server = (self.raw.get("servers") or [{}])[0]
        url = server.get("url") or ""
        for name, variable in (server.get("variables") or {}).items():
            url = url.replace("{" + name + "}", str(variable.get("default", "")))
        return urlsplit(url if "//" in url or url.startswith("/") else "//" + url).path.rstrip("/")

    def credentials(self, op):
        """Headers, query parameters and cookies of the first declared alternative that can be met without a certificate."""
        schemes = self.raw.get("securityDefinitions") or (self.raw.get("components") or {}).get("securitySchemes") or {}
        for alternative in op.security:
            sent = {"header": {}, "query": {}, "cookie": {}}
            for name in alternative:
                scheme = self.resolve(schemes.get(name)) or {}
                if scheme.get("type") == "apiKey" and scheme.get("in") in sent:
                    key = "Bearer judge" if str(scheme["name"]).lower() == "authorization" else "judge"
                    sent[scheme["in"]][scheme["name"]] = key
                elif scheme.get("type") == "basic" or str(scheme.get("scheme")).lower() == "basic":
                    sent["header"]["Authorization"] = "Basic " + base64.b64encode(b"judge:judge").decode()
                elif scheme.get("type") != "mutualTLS":
                    sent["header"]["Authorization"] = "Bearer judge"
            return sent
        return {"header": {}, "query": {}, "cookie": {}}


FORMATS = FormatChecker(["date", "date-time", "email", "ipv4", "ipv6", "uuid"])


WIDTHS = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)} | {f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)}


def _has_width(low, high):
    return lambda value: isinstance(value, (str, bool)) or not isinstance(value, int) or low <= value <= high


for _format, _limits in WIDTHS.items():
    FORMATS.checks(_format)(_has_width(*_limits))


@FORMATS.checks("uri")
def _uri(value):
    return not isinstance(value, str) or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", value) is not None


@FORMATS.checks("byte", raises=binascii.Error)
def _byte(value):
    return not isinstance(value, str) or base64.b64decode(value + "=" * (-len(value) % 4), validate=True) is not None


def same(sent, read):
    """Equality of values, where times are instants, and numbers may come back with another number of digits."""
    if isinstance(sent, bool) or isinstance(read, bool):
        return sent is read
    if isinstance(sent, (int, float)) and isinstance(read, (int, float)):
        return math.isclose(sent, read, rel_tol=1e-6)
    if isinstance(sent, str) and isinstance(read, str) and sent != read:
        try:
            left, right = (datetime.datetime.fromisoformat(text) for text in (sent, read))
            return left == right
        except (ValueError, TypeError):
            return False
    return sent == read
