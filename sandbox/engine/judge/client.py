"""Requests as an operation declares them, and answers within a time limit."""
import http.client
import json
import re
import time
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

from answer import members_of
from contract import Sequence, is_json

LIMIT = 10.0  # seconds for one request with its answer
BLOCK = re.compile(rb"\r\n\r\n|\n\n|\r\r")
MOST = 16 * 1024 * 1024
# Media types with a line of JSON for each item, and the byte before each.
LINES = {"application/jsonl": b"", "application/x-ndjson": b"", "application/x-jsonlines": b"", "application/json-seq": b"\x1e"}


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes
    media: str

    def json(self):
        return json.loads(self.body)


@dataclass
class Request:
    method: str
    target: str
    headers: dict
    body: bytes | None
    sent: object = None  # the value of the body, before it was encoded

    def shown(self):
        body = (self.body or b"").decode("utf-8", "replace")[:400]
        return f"{self.method} {self.target}" + (f" {self.headers.get('Content-Type', '')} {body}" if body else "")


class Trouble(Exception):
    """No answer: a timeout, a connection that ends, or an answer that is not HTTP."""


class Client:
    def __init__(self, url):
        self.address = urlsplit(url)
        self.connection = None

    def send(self, request):
        """One request. A connection that the server has closed since the last answer is opened again, once."""
        for fresh in (False, True):
            if self.connection is None or fresh:
                self.connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=LIMIT)
                fresh = True
            try:
                return self._send(request)
            except TimeoutError as error:
                self.close()
                raise Trouble("timeout") from error
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if fresh:
                    raise Trouble(f"connection: {type(error).__name__}") from error

    def _send(self, request):
        end = time.monotonic() + LIMIT
        self.connection.request(request.method, request.target, request.body, request.headers)
        answer = self.connection.getresponse()
        media = (answer.getheader("Content-Type") or "").strip()
        body = b""
        while len(body) < MOST:
            part = answer.read1(65536)
            body += part
            # A stream of events never ends: its first block is enough.
            if not part or media.startswith("text/event-stream") and BLOCK.search(body):
                break
            if time.monotonic() > end:
                raise TimeoutError
        if not answer.isclosed():
            self.close()
        return Answer(answer.status, {key.lower(): value for key, value in answer.getheaders()}, body, media)

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


def text(value):
    return value if isinstance(value, str) else json.dumps(value)


def flat(parameter, value):
    """The value of a parameter as pairs of name and text."""
    name, explode, separator = parameter["name"], parameter["explode"], parameter["separator"]
    if parameter["json"]:
        return [(name, json.dumps(value))]
    if isinstance(value, list):
        return [(name, text(one)) for one in value] if explode else [(name, separator.join(map(text, value)))]
    if isinstance(value, dict):
        if parameter["style"] == "deepObject":
            return [(f"{name}[{key}]", text(one)) for key, one in value.items()]
        if explode:
            return [(key, text(one)) for key, one in value.items()]
        return [(name, ",".join(f"{key},{text(one)}" for key, one in value.items()))]
    return [(name, text(value))]


def segment(parameter, value):
    name, style = parameter["name"], parameter["style"]
    if isinstance(value, list):
        value = ",".join(map(text, value))
    elif isinstance(value, dict):
        value = ",".join(f"{key}{'=' if parameter['explode'] else ','}{text(one)}" for key, one in value.items())
    prefix = {"label": ".", "matrix": f";{name}="}.get(style, "")
    return prefix + quote(text(value), safe="")


def build(contract, op, base, path, values, body, media):
    """A request: `path` by name of the path parameter, `values` by place and name, `body` in the media type."""
    credentials, whole = contract.credentials(op), ""
    target, query = op.path, list(credentials["query"].items())
    headers = dict(credentials["header"])
    cookies = dict(credentials["cookie"])
    headers["Accept"] = ", ".join(op.accepted()) or "*/*"
    for parameter in op.parameters:
        name, where = parameter["name"], parameter["in"]
        if where == "path" and name in path:
            target = target.replace("{" + name + "}", segment(parameter, path[name]))
        elif (where, name) in values:
            pairs = flat(parameter, values[where, name])
            if where == "query":
                query += pairs
            elif where == "header" and name.lower() not in ("accept", "content-type", "authorization"):
                headers[name] = ",".join(one for _, one in pairs)
            elif where == "cookie":
                cookies |= dict(pairs)
            elif where == "querystring":
                # The whole query, by its media type. It stands alone: no other parameter is in the query then.
                kind, encoded = encode(contract, values[where, name], parameter["media"], parameter["schema"])
                whole = encoded.decode() if kind.startswith("application/x-www-form-urlencoded") else quote(encoded, safe="")
    # A parameter that the path names and the contract does not declare is text.
    for name in op.names:
        target = target.replace("{" + name + "}", quote(text(path.get(name, "judge")), safe=""))
    if cookies:
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
    encoded = None
    if media is not None:
        kind, encoded = encode(contract, body, media, op.body[media])
        headers["Content-Type"] = kind
    elif op.method in ("post", "put", "patch", "query"):
        encoded = b""
    whole = "&".join(part for part in (whole, urlencode(query)) if part)
    target = base + target + (("&" if "?" in target else "?") + whole if whole else "")
    return Request(op.verb, target, headers, encoded, body)


def best(body):
    """The media type that the judge sends: JSON before forms before anything else that it can encode."""
    def rank(media):
        kind = media.split(";")[0].strip().lower()
        if kind == "application/json":
            return 0
        if isinstance(body[media], Sequence) and kind in LINES:
            return 6
        if is_json(kind):
            # A JSON Patch is a program, and its sample would be a program that fails.
            return 9 if kind == "application/json-patch+json" else 1
        order = ("application/x-www-form-urlencoded", "multipart/form-data", "application/octet-stream", "text/plain")
        return 2 + order.index(kind) if kind in order else 9 if "xml" in kind or "x-ndjson" in kind else 7
    ranked = sorted((rank(media), place, media) for place, media in enumerate(body))
    return ranked[0][2] if ranked and ranked[0][0] < 9 else None


def encode(contract, value, media, schema):
    kind = media.split(";")[0].strip().lower()
    if isinstance(schema, Sequence) and kind in LINES:
        return media, b"".join(LINES[kind] + json.dumps(one).encode() + b"\n" for one in value)
    if is_json(kind):
        return "application/json" if "*" in kind else media, json.dumps(value).encode()
    if kind == "application/x-www-form-urlencoded" and isinstance(value, dict):
        pairs = [(name, text(one)) for name, many in value.items() for one in (many if isinstance(many, list) else [many])]
        return media, urlencode(pairs).encode()
    if kind == "multipart/form-data" and isinstance(value, dict):
        members, parts = members_of(contract, schema), b""
        for name, many in value.items():
            member = contract.resolve(members.get(name) or {})
            file = member.get("format") == "binary" or (contract.resolve(member.get("items") or {})).get("format") == "binary"
            for one in many if isinstance(many, list) else [many]:
                head = f'--judge\r\nContent-Disposition: form-data; name="{name}"'
                head += f'; filename="{name}.bin"\r\nContent-Type: application/octet-stream' if file else ""
                head += "\r\nContent-Type: application/json" if isinstance(one, dict) else ""
                parts += f"{head}\r\n\r\n{text(one)}\r\n".encode()
        return "multipart/form-data; boundary=judge", parts + b"--judge--\r\n"
    return "application/octet-stream" if "*" in kind else media, text(value).encode()
