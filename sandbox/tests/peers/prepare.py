"""Gets a token, makes one resource of each kind, and writes what schemathesis needs: contract, token, configuration."""

import json
import pathlib
import sys
import urllib.parse
import urllib.request

base, folder, template, work = sys.argv[1:]
work = pathlib.Path(work)


def call(path, body, headers):
    request = urllib.request.Request(base + path, data=body, headers=headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


secret = pathlib.Path(folder, "aurora-automation.secret").read_text().strip()
form = {"grant_type": "client_credentials", "client_id": "aurora-automation", "client_secret": secret, "scope": "api"}
token = call("/identity/connect/token", urllib.parse.urlencode(form).encode(), {})["access_token"]
authorization = {"Authorization": f"Bearer {token}"}


def get(path):
    return call(path, None, authorization)


def create(path, **fields):
    headers = authorization | {"Content-Type": "application/json"}
    return call(path, json.dumps(fields).encode(), headers)["id"]


team = get("/api/teams/v1/teams")[0]["id"]
item = get("/api/marketplace/v1/store-items")["items"][0]["id"]
project = create("/api/projects/v1/projects", name="Schemathesis")
component = create(f"/api/projects/v1/projects/{project}/components", name="web")
repository = create("/api/devops/v1/repositories", name="site")
thread = create("/api/forum/v1/threads", title="Hello")
reply = create(f"/api/forum/v1/threads/{thread}/replies", body="World")
framework = create("/api/compliance/frameworks", name="Framework")
version = create(f"/api/compliance/frameworks/{framework}/versions", label="1")
parameters = {
    "project_id": project,
    "componentId": component,
    "teamId": team,
    "storeItemId": item,
    "paymentPlanId": get(f"/api/marketplace/v1/store-items/{item}/payment-plans")[0]["id"],
    "repositoryId": repository,
    "threadId": thread,
    "replyId": reply,
    "frameworkId": framework,
    "versionId": version,
    "virtualMachineId": get("/api/virtual-machines")[0]["id"],
    "connectionId": get("/api/client-db/v1/connections")[0]["id"],
    "agentId": create("/api/virtual-machine-agent/agents", hostName="host"),
    "table": "customers",
}
lines = [f'"path.{name}" = "{value}"' for name, value in parameters.items()]
# The other prefix of the same family has resources of its own.
framework = create("/api/compliance/v1/frameworks", name="Framework")
version = create(f"/api/compliance/v1/frameworks/{framework}/versions", label="1")
lines += [
    '[[operations]]\ninclude-path-regex = "^/api/compliance/v1/"',
    f'parameters = {{ "path.frameworkId" = "{framework}", "path.versionId" = "{version}" }}',
]
plain = pathlib.Path(template).read_text()
(work / "plain.toml").write_text(plain)
(work / "prepared.toml").write_text(plain + "\n[parameters]\n" + "\n".join(lines) + "\n")
(work / "contract.json").write_text(json.dumps(get("/swagger/v1/swagger.json")))
token_file = work / "token"
token_file.touch(mode=0o600)
token_file.write_text(token)
