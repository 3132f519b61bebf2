"""The content of an answer: if it is a declared success, and which objects it holds."""
import json
import re

from contract import BINARY, Sequence, is_json

NAMES = ("id", "uuid", "guid", "gid", "sid", "key", "name", "slug", "login", "code", "number")


def plain(name):
    return re.sub(r"[^a-z0-9]", "", str(name).lower())


def singulars(path):
    words = [part for part in path.split("/") if part and "{" not in part]
    word = plain(words[-1]) if words else ""
    return {word, re.sub("ies$", "y", word), re.sub("es$", "", word), re.sub("s$", "", word)}


def members_of(contract, schema, depth=0):
    """All members that a schema knows by name, of all its parts and branches."""
    schema, result = contract.resolve(schema), {}
    if depth > 12 or not isinstance(schema, dict):
        return result
    for word in ("allOf", "oneOf", "anyOf"):
        for part in schema.get(word) or []:
            result |= members_of(contract, part, depth + 1)
    return result | (schema.get("properties") or {})


def accusation(contract, op, answer):
    """The reason that an answer is not a declared success, as cause and detail; None, None if it is one."""
    status = op.answer(answer.status)
    if status is None:
        group = "4xx to a valid request" if 400 <= answer.status < 500 else "status undeclared"
        return f"{group}: {answer.status}", f"declared: {', '.join(op.answers)}"
    content = op.answers[status]
    if content is None:
        # The HTTP library reads no body of a 204: its announced length tells.
        if answer.status == 204 and (answer.body or answer.headers.get("content-length", "0") != "0"):
            return "body of a 204", ""
        return None, None
    if op.method == "head":
        return None, None
    given = answer.media.split(";")[0].lower()
    fitting = [media for media in content if fits(media.split(";")[0].strip().lower(), given)]
    if not answer.body:
        free = any(isinstance(schema, Sequence) or schema == {} or schema == BINARY or contract.resolve(schema).get("type") in ("string", "file") for schema in content.values())
        return (None, None) if free else ("body is empty", f"declared: {', '.join(content)}")
    if not fitting:
        return "content-type undeclared", f"{answer.media or 'none'}, declared: {', '.join(content)}"
    if any(map(is_json, content)) and not any(is_json(media) for media in fitting):
        return "content-type not accepted", f"{answer.media}, accepted: {', '.join(op.accepted())}"
    schema = content[fitting[0]]
    if isinstance(schema, Sequence) and given in STREAMS:
        try:
            value = STREAMS[given](answer.body.decode("utf-8-sig"))
        except ValueError as error:
            return "stream is not read", str(error)
        # A comment keeps a stream alive, and is not an event.
        if not value and re.sub(rb"(?m)^:.*$", b"", answer.body).strip():
            return "stream is not read", "it has no whole item"
    elif isinstance(schema, Sequence) and not is_json(given):
        return None, None
    elif is_json(given):
        try:
            value = answer.json()
        except ValueError as error:
            return "body is not JSON", str(error)
    elif given == "text/plain" and contract.resolve(schema).get("type") in ("string", "integer", "number", "boolean"):
        value = answer.body.decode("utf-8", "replace")
        if contract.resolve(schema).get("type") != "string":
            try:
                value = json.loads(value)
            except ValueError:
                pass
    else:
        return None, None
    if contract.resolve(schema).get("type") == "file":
        return None, None
    for error in contract.wrong(value, schema):
        pointer = "/" + "/".join(re.sub(r"^\d+$", "*", str(part)) for part in error.absolute_path)
        return f"body invalid: {error.validator}", f"at {pointer}: {error.message[:200]}"
    return None, None


def events(text):
    """The events of a stream, without one that has not arrived as a whole, as objects of their fields (HTML, 9.2.6)."""
    whole = []
    for block in re.sub(r"\r\n?", "\n", text).split("\n\n")[:-1]:
        event = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "data" and "data" in event:
                event["data"] += "\n" + value
            elif name in ("data", "event", "id"):
                event[name] = value
            elif name == "retry" and value.isdigit():
                event["retry"] = int(value)
        if event:
            whole.append(event)
    return whole


def lines(text):
    return [json.loads(line) for line in re.split(r"[\r\n]+", text) if line.strip()]


def texts(text):
    """The values of a JSON text sequence (RFC 7464): a value can have several lines."""
    return [json.loads(part) for part in text.split("\x1e") if part.strip()]


STREAMS = {"text/event-stream": events, "application/json-seq": texts} | dict.fromkeys(
    ("application/jsonl", "application/x-jsonlines", "application/x-ndjson", "application/ndjson"), lines)


def fits(declared, given):
    if declared in (given, "*/*", ""):
        return True
    if "*" in declared:
        return re.fullmatch(re.escape(declared).replace(r"\*", ".*"), given) is not None
    return False


class Copy:
    """A part of an answer, as if it was one."""

    def __init__(self, value):
        self.value, self.body, self.headers = value, b"-", {}

    def json(self):
        return self.value


def objects(value, depth=0):
    """The object of an answer, then the objects in its members and the first of each array: an envelope or a page."""
    if isinstance(value, list):
        for one in value[:1]:
            yield from objects(one, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        yield value
        for member in value.values():
            if isinstance(member, (dict, list)):
                yield from objects(member, depth + 1)


def envelopes(contract, value, schema, collection, depth=0):
    """The object itself, then the one that it wraps: its only object, or the one called `data` or like the collection."""
    schema = contract.resolve(schema)
    if isinstance(value, list) and isinstance(schema, dict):
        for one in value[:1]:
            yield from envelopes(contract, one, schema.get("items") or {}, collection, depth)
    elif isinstance(value, dict) and depth < 3:
        yield value, schema
        members = members_of(contract, schema)
        inner = [name for name, member in value.items() if isinstance(member, (dict, list)) and member]
        named = {"data", "result", "results", "item", "items", "value", "content", "response", "payload"} | singulars(collection)
        for name in inner:
            if len(value) == 1 or plain(name) in named or singulars(name) & named:
                yield from envelopes(contract, value[name], members.get(name) or {}, collection, depth + 1)


def entries(value, depth=0):
    """The objects of the arrays of an answer, not those inside of them."""
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, dict))
    elif isinstance(value, dict) and depth < 3:
        for member in value.values():
            yield from entries(member, depth + 1)


def contains(value, identifier, depth=0):
    """True if an array of the answer has the identifier itself, or a map has it as a key."""
    if isinstance(value, list):
        return any(str(one) == str(identifier) or contains(one, identifier, depth) for one in value)
    if isinstance(value, dict) and depth < 4:
        return str(identifier) in value or any(contains(one, identifier, depth + 1) for one in value.values())
    return False
