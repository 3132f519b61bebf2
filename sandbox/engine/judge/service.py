"""A small service that keeps to its contract, and mutations of it that do not: the judge has to tell them apart.

`service.py MUTATION --contract FILE` prints the contract's address line, as a sandbox does.
"""
import json
import pathlib
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

TEXT, UUID = {"type": "string", "minLength": 1, "maxLength": 40}, {"type": "string", "format": "uuid"}
WIDGET = {
    "type": "object", "required": ["id", "name"],
    "properties": {"id": UUID | {"readOnly": True}, "name": TEXT, "count": {"type": "integer"}, "due": {"type": "string", "format": "date-time"},
                   "kind": {"type": "string", "enum": ["large", "small"]}, "secret": {"type": "string", "writeOnly": True}},
}
MUTATIONS = {
    "none": None, "list forgets": "list lacks", "put ignored": "read after put", "patch ignored": "read after patch",
    "404 becomes 200": "instead of 404", "delete ignored": "instead of 404", "wrong type": "body invalid", "missing member": "body invalid",
    "undeclared status": "status undeclared", "refuses": "4xx to a valid request", "drops a member": "read shows", "accepts anything": "without a required member",
    "204 with a body": "body of a 204", "text": "content-type undeclared", "no json": "body is not JSON", "hangs": "timeout", "closes": "connection", "empty": "body is empty",
    "wrong format": "body invalid: format", "wrong parent": "4xx",
}
# Of what OpenAPI 3.2 adds.
MUTATIONS_OF_3_2 = {
    "wrong line": "body invalid: type", "half a line": "stream is not read", "wrong event": "body invalid: enum", "copies nothing": "status undeclared",
    "no query": "4xx", "no whole query": "4xx",
}


def contract(dialect):
    """The same service in each dialect. That of 3.2 has further operations, and is a file, which the engine's tests serve, too."""
    if dialect == "3.2":
        return json.loads((pathlib.Path(__file__).parent / "openapi-3.2.json").read_text())

    def answer(schema, status="200"):
        if dialect == "2.0":
            return {status: {"description": "", "schema": schema}}
        return {status: {"description": "", "content": {"application/json": {"schema": schema}}}}

    root = "#/definitions/" if dialect == "2.0" else "#/components/schemas/"
    widget, missing = {"$ref": root + "Widget"}, {"404": {"description": ""}}

    def takes(schema):
        if dialect == "2.0":
            return {"parameters": [{"name": "body", "in": "body", "required": True, "schema": schema}]}
        return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}

    def parameter(name):
        return {"name": name, "in": "path", "required": True} | (UUID if dialect == "2.0" else {"schema": UUID})

    page = {"type": "object", "required": ["items"], "properties": {"items": {"type": "array", "items": widget}}}
    partial = {"type": "object", "properties": {"name": TEXT, "count": {"type": "integer"}}}
    part = {"type": "object", "required": ["title"], "properties": {"title": TEXT}}
    schema = json.loads(json.dumps(WIDGET))
    if dialect == "3.1":
        schema["properties"]["count"]["type"] = ["integer", "null"]
    paths = {
        "/widgets": {"get": {"responses": answer(page)}, "post": takes(widget) | {"responses": answer(widget, "201")}},
        "/widgets/{id}": {
            "parameters": [parameter("id")],
            "get": {"responses": answer(widget) | missing}, "put": takes(widget) | {"responses": answer(widget) | missing},
            "patch": takes(partial) | {"responses": answer(widget) | missing}, "delete": {"responses": {"204": {"description": ""}} | missing},
        },
        # Its create answers with nothing but a Location.
        "/widgets/{id}/parts": {"parameters": [parameter("id")], "post": takes(part) | {"responses": {"201": {"description": ""}}}},
        "/widgets/{id}/parts/{partId}": {"parameters": [parameter("id"), parameter("partId")], "get": {"responses": answer(part) | missing}},
        "/health": {"get": {"responses": answer({"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}})}},
    }
    key = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    document = {"info": {"title": "widgets", "version": "1"}, "paths": paths, "security": [{"key": []}]}
    if dialect == "2.0":
        return document | {"swagger": "2.0", "basePath": "/api", "securityDefinitions": key, "definitions": {"Widget": schema}}
    return document | {"openapi": dialect + ".0", "servers": [{"url": "https://example.com/api"}], "components": {"schemas": {"Widget": schema}, "securitySchemes": key}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    widgets, parts, mutation = {}, {}, "none"

    def log_message(self, *_):
        pass

    def reply(self, status, value=None, location=None):
        mutation, ok = self.mutation, status < 300
        if ok and value is not None and mutation == "wrong type" and "id" in value:
            value = value | {"name": 7}
        if ok and value is not None and mutation == "wrong format" and "due" in value:
            value = value | {"due": "soon"}
        if ok and value is not None and mutation == "missing member":
            value = {key: one for key, one in value.items() if key not in ("name", "ok")}
        if mutation == "404 becomes 200" and status == 404:
            status, value = 200, {"id": str(uuid.uuid4()), "name": "x", "title": "y"}
        if mutation == "undeclared status" and ok:
            status = 206
        body = b"" if value is None else json.dumps(value).encode()
        if mutation == "no json" and ok:
            body = body[:-1]
        if mutation == "204 with a body" and status == 204:
            self.close_connection = True
            body = b"{}"
        if mutation == "empty":
            body = b""
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "text/html" if mutation == "text" else "application/json")
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, media, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def added(self, name, sent):
        """The operations that only the contract of 3.2 has. True if one of them answered."""
        mutation = self.mutation
        if name == "search" and self.command == "QUERY":
            wanted = json.loads(sent)["name"]
            items = [item for item in self.widgets.values() if item["name"] == wanted]
            self.reply(400 if mutation == "no query" else 200, {"items": items})
        elif name == "find":
            wanted = parse_qs(self.path.partition("?")[2]).get("name")
            self.reply(200 if wanted and mutation != "no whole query" else 400, {"items": []})
        elif name == "changes" and self.command == "GET":
            lines = [json.dumps({"id": index if mutation != "wrong line" else "x", "name": "a"}) for index in range(3)]
            self.stream("application/jsonl", "\n".join(lines)[: -3 if mutation == "half a line" else None] + "\n")
        elif name == "changes":
            changes = [json.loads(line) for line in sent.splitlines()]
            self.reply(204 if changes and all(isinstance(change["id"], int) for change in changes) else 400)
        elif name == "events":
            self.stream("text/event-stream", f"event: {'other' if mutation == 'wrong event' else 'made'}\ndata: a\ndata: b\n\n: a remark\n\nevent: gone\ndata:c\n\nevent: cut")
        else:
            return False
        return True

    def handle_one(self):
        length = int(self.headers.get("Content-Length") or 0)
        sent, parts = self.rfile.read(length), self.path.split("?")[0].split("/")[1:]
        if self.headers.get("X-Key") is not None and len(parts) == 2 and parts[0] == "api" and self.added(parts[1], sent):
            return None
        body = json.loads(sent or b"null")
        if self.mutation == "hangs" and parts[-1] == "health":
            import time
            time.sleep(2)
        if self.mutation == "closes" and parts[-1] == "health":
            self.close_connection = True
            return
        if self.headers.get("X-Key") is None or self.mutation == "refuses" and self.command == "PUT":
            return self.reply(401)
        if self.mutation == "without the base path":
            # As services do that take the paths of the contract alone, and refuse others as wrong requests.
            if parts[0] == "api":
                return self.reply(400)
            parts = ["api", *parts]
        if parts[0] != "api":
            return self.reply(404)
        if parts[1:] == ["health"]:
            return self.reply(200, {"ok": True})
        if parts[1:] == ["widgets"]:
            if self.command == "GET":
                items = [] if self.mutation == "list forgets" else list(self.widgets.values())
                return self.reply(200, {"items": items})
            if "name" not in body and self.mutation != "accepts anything":
                return self.reply(422)
            item = {"id": str(uuid.uuid4())} | {key: one for key, one in body.items() if key not in ("id", "secret")}
            if self.mutation == "drops a member":
                item.pop("count", None)
            self.widgets[item["id"]] = item
            return self.reply(201, item)
        item = self.widgets.get(parts[2])
        if item is None:
            return self.reply(404)
        if len(parts) == 4:
            if "title" not in body:
                return self.reply(400)
            part = str(uuid.uuid4())
            self.parts[part] = body
            return self.reply(201, None, f"/api/widgets/{item['id']}/parts/{part}")
        if len(parts) == 5:
            part = self.parts.get(parts[4])
            return self.reply(200, part) if part and self.mutation != "wrong parent" else self.reply(404)
        if self.command == "DELETE" and self.mutation != "delete ignored":
            del self.widgets[parts[2]]
        if self.command == "DELETE":
            return self.reply(204)
        if self.command == "COPY":
            copied = item | {"id": str(uuid.uuid4())}
            self.widgets[copied["id"]] = copied
            return self.reply(202 if self.mutation == "copies nothing" else 201, copied)
        changes = {key: one for key, one in (body or {}).items() if key not in ("id", "secret")}
        if self.command == "PUT" and self.mutation != "put ignored":
            self.widgets[parts[2]] = {"id": item["id"]} | changes
        if self.command == "PATCH" and self.mutation != "patch ignored":
            item.update(changes)
        self.reply(200, self.widgets[parts[2]])

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_QUERY = do_COPY = handle_one


if __name__ == "__main__":
    Handler.mutation = sys.argv[1]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
