"""The walk of sandbox/README.md in Python: a program signs in, creates a project, deploys a workload and watches it, while it
drives the sandbox's clock. Argument: the file with the line that `platform-sandbox --json` prints."""

import asyncio
import json
import pathlib
import sys

import aiopenapi3
import aiopenapi3.plugin
import httpx
from aiopenapi3.errors import HTTPStatusError
from authlib.integrations.httpx_client import OAuth2Client
from gql import Client, gql
from gql.transport.websockets import WebsocketsTransport

PROJECTS = "/api/projects/v1/projects"
COMPONENTS = PROJECTS + "/{project_id}/components"
DEPLOYMENTS = COMPONENTS + "/{componentId}/deployments"

sandbox = json.loads(pathlib.Path(sys.argv[1]).read_text())


def sign_in(client_id):
    """A token of the client-credentials grant. The secret comes from its file."""
    secret_file = next(client["secret_file"] for client in sandbox["clients"] if client["client_id"] == client_id)
    issuer = httpx.get(sandbox["auth_url"] + "/.well-known/openid-configuration").json()
    client = OAuth2Client(client_id, pathlib.Path(secret_file).read_text(), scope="api")
    token = client.fetch_token(issuer["token_endpoint"], grant_type="client_credentials")
    print("signed in:", token["token_type"], "for", token["expires_in"], "s")
    return token["access_token"]


class Server(aiopenapi3.plugin.Document):
    """The documents name no server; this library has to be told."""

    def parsed(self, context):
        context.document["servers"] = [{"url": sandbox["base_url"]}]
        return context


token = sign_in("aurora-automation")
platform = aiopenapi3.OpenAPI.load_sync(sandbox["contract_url"], plugins=[Server()])
platform.authenticate(Bearer=token)
control = aiopenapi3.OpenAPI.load_sync(sandbox["base_url"] + "/sandbox/openapi.yaml", plugins=[Server()])


def tell(operation, **body):
    """Calls an operation of the control interface, which checks what is sent and what comes back."""
    return control.createRequest(operation)(data=body)


def call(method, path, body=None, **parameters):
    """Calls an operation of the contract, which checks what is sent and what comes back."""
    request = platform.createRequest((path, method))
    headers, data, response = request.request(data=body, parameters=parameters)
    return data if data is not None else response.json()


def create_project():
    team = call("get", "/api/teams/v1/teams")[0]
    account = call("get", "/api/teams/v1/teams/{teamId}/billing-accounts", teamId=str(team.id))[0]
    tell("addFault", match={"operation": "POST " + PROJECTS}, times=1, fault="status=503, retry-after=1")
    project = {
        "teamId": str(team.id),
        "teamBillingAccountId": str(account.id),
        "storeItemPaymentPlanId": None,
        "name": "Aurora",
        "description": "Made by a sample",
        "category": "research",
        "helpPage": "",
        "serviceProviders": [],
    }
    try:
        call("post", PROJECTS, project)
    except HTTPStatusError as error:
        print("created:", error.http_status, "retry after", error.response.headers["retry-after"], "s")
    return call("post", PROJECTS, project).model_extra["id"]


async def watch(session, operation):
    query = gql("subscription ($id: ID!) { operationChanged(id: $id) { event { kind state } } }")
    query.variable_values = {"id": operation}
    async for change in session.subscribe(query):
        event = change["operationChanged"]["event"]
        print("  " + event["kind"] + ":", event["state"])


async def deploy(session, project_id, component_id):
    tell("setClock", hold=True)
    accepted = call("post", DEPLOYMENTS, {"tag": "v1"}, project_id=project_id, componentId=component_id)
    watching = asyncio.create_task(watch(session, str(accepted.id)))
    await asyncio.sleep(0)
    # The socket answers in order: this answer means that the subscription before it has begun, so no event is missed.
    query = gql("query ($id: ID!) { operation(id: $id) { state } }")
    query.variable_values = {"id": str(accepted.id)}
    print("accepted:", (await session.execute(query))["operation"]["state"])
    # Two steps of 150 milliseconds first, and then the rest.
    tell("setClock", advanceMilliseconds=300)
    tell("setClock", advanceMilliseconds=300)
    await watching


async def main():
    project_id = create_project()
    print("created:", len(call("get", PROJECTS)), "project")
    component = call("post", COMPONENTS, {"name": "web"}, project_id=project_id)
    socket = WebsocketsTransport(
        url=sandbox["graphql_url"].replace("http", "ws", 1),
        subprotocols=[WebsocketsTransport.GRAPHQLWS_SUBPROTOCOL],
        init_payload={"Authorization": f"Bearer {token}"},
    )
    async with Client(transport=socket) as session:
        await deploy(session, project_id, str(component.id))
        # A rule of its own for the outcome of the next deployment.
        tell("addFault", match={"method": "POST", "path": PROJECTS}, times=1, fault="outcome=failure")
        await deploy(session, project_id, str(component.id))
    expected = {"match": {"operation": "POST " + PROJECTS, "status": 503}, "times": 1}
    print("the journal has the refused creation:", tell("verifyRequests", **expected).count == 1)
    over = control._.listOperations(parameters={"over": True}).operations
    print("operations:", ", ".join(operation.state for operation in over))
    items = control._.listItems(parameters={"collection": "/api/teams/v1/teams"}).items
    print("teams:", ", ".join(item.fields.model_dump()["name"] for item in items))
    tell("reset")
    print("projects after the reset:", len(call("get", PROJECTS)))


asyncio.run(main())
