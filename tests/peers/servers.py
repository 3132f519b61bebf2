"""Servers from PyPI that nobody here wrote, on loopback, and their addresses as one line of JSON."""

import asyncio
import json
import logging
import os
import socket
import threading
from collections.abc import AsyncGenerator

# The library refuses to speak without TLS unless this is set when it is loaded.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import oidc_provider_mock
import strawberry
import uvicorn
import werkzeug.serving
from strawberry.asgi import GraphQL
from strawberry.exceptions import ConnectionRejectionError

SECRET = os.environ["PEERS_SECRET"]
sockets = 0


@strawberry.type
class Query:
    @strawberry.field
    def hello(self, name: str) -> str:
        return f"hello {name}"

    @strawberry.field
    def sockets(self) -> int:
        """The number that were opened since the start."""
        return sockets


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def count(self, to: int) -> AsyncGenerator[int, None]:
        for number in range(1, to + 1):
            yield number

    @strawberry.subscription
    async def hold(self, number: int) -> AsyncGenerator[int, None]:
        yield number
        await asyncio.Event().wait()


class Guarded(GraphQL):
    async def on_ws_connect(self, context):
        global sockets
        if context["connection_params"].get("Authorization") != f"Bearer {SECRET}":
            raise ConnectionRejectionError
        sockets += 1
        return await super().on_ws_connect(context)


def listen() -> tuple[socket.socket, str]:
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, f"http://127.0.0.1:{listener.getsockname()[1]}"


def graphql() -> str:
    listener, address = listen()
    schema = strawberry.Schema(query=Query, subscription=Subscription)
    server = uvicorn.Server(uvicorn.Config(Guarded(schema), log_level="warning"))
    threading.Thread(target=server.run, args=([listener],), daemon=True).start()
    return address


def issuer() -> str:
    app = oidc_provider_mock.app()
    server = werkzeug.serving.make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


logging.getLogger("werkzeug").setLevel(logging.WARNING)
print(json.dumps({"strawberry": graphql(), "mock": issuer()}), flush=True)
threading.Event().wait()
