"""Resources of a running sandbox, made over HTTP for the run of schemathesis."""

import json
import urllib.error
import urllib.parse
import urllib.request

JSON = {"Content-Type": "application/json"}


class Sandbox:
    """A sandbox, and a token for its first team."""

    def __init__(self, base, token):
        self.base = base
        self.authorization = {"Authorization": f"Bearer {token}"}

    def call(self, method, path, body=None, headers=JSON):
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = headers | self.authorization if body is not None else self.authorization
        request = urllib.request.Request(self.base + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def get(self, path):
        return self.call("GET", path)

    def create(self, path, **fields):
        return self.call("POST", path, fields)["id"]

    def identifiers(self):
        """The values that a body of platform document §2 has to name: identifiers of the caller's own team."""
        team = self.get("/api/teams/v1/teams")[0]["id"]
        account = self.get(f"/api/teams/v1/teams/{team}/billing-accounts")[0]["id"]
        return {"teamId": team, "teamBillingAccountId": account, "storeItemPaymentPlanId": None}

    # Each of these creates the resource of its last identifier and everything above it, and returns the path parameters.

    def below_team(self, rest, identifier, **fields):
        team = self.identifiers()["teamId"]
        return {"teamId": team, identifier: self.create(f"/api/teams/v1/teams/{team}/{rest}", **fields)}

    def role(self):
        return self.below_team("roles", "roleId", name="Reader")

    def credential(self):
        return self.below_team("service-provider-credentials", "credentialId", kind="Token", name="CI")

    def registry(self):
        return self.below_team("container-registries", "registryId", name="Images")

    def billing_account(self):
        return self.below_team("billing-accounts", "billingAccountId", name="Main")

    def project(self):
        return {"project_id": self.create("/api/projects/v1/projects", name="Schemathesis")}

    def component(self):
        project = self.project()
        path = "/api/projects/v1/projects/{project_id}/components".format(**project)
        return project | {"componentId": self.create(path, name="web", kind=0)}

    def below_component(self, rest, component):
        component = component or self.component()
        path = "/api/projects/v1/projects/{project_id}/components/{componentId}/".format(**component) + rest
        return component, path

    def variable(self, component=None):
        component, path = self.below_component("environment-variables", component)
        self.call("PUT", f"{path}/MODE", {"value": "test"})
        return component | {"name": "MODE"}

    def grant(self, component=None):
        component, path = self.below_component("access-grants", component)
        return component | {"grantId": self.create(path, level="Read")}

    def deployment(self, component=None):
        component, path = self.below_component("deployments", component)
        return component | {"deploymentId": self.create(path, tag="v1")}

    def terraform(self):
        deployment = self.create("/api/devops/v1/terraform-deployments", repositoryId=self.repository()["repositoryId"])
        self.settle()
        return {"deploymentId": deployment}

    def repository(self):
        return {"repositoryId": self.create("/api/devops/v1/repositories", name="site")}

    def payment_plan(self):
        item = self.create("/api/marketplace/v1/store-items", name="Kit")
        plan = self.create(f"/api/marketplace/v1/store-items/{item}/payment-plans", name="Monthly")
        return {"storeItemId": item, "paymentPlanId": plan}

    def thread(self):
        return {"threadId": self.create("/api/forum/v1/threads", title="Hello")}

    def reply(self):
        thread = self.thread()
        return thread | {"replyId": self.create(f"/api/forum/v1/threads/{thread['threadId']}/replies", body="World")}

    def control(self, prefix):
        framework = self.create(f"{prefix}/frameworks", name="Framework")
        versions = f"{prefix}/frameworks/{framework}/versions"
        version = self.create(versions, label="1")
        control = self.create(f"{versions}/{version}/controls", code="A.1", title="Access")
        return {"frameworkId": framework, "versionId": version, "controlId": control}

    def command(self):
        agents = "/api/virtual-machine-agent/agents"
        agent = self.create(agents, hostName="host")
        command = self.create(f"{agents}/{agent}/commands", type="runScript", script="true")
        return {"agentId": agent, "commandId": command}

    def machine(self):
        return {"virtualMachineId": self.get("/api/virtual-machines")[0]["id"]}

    def session(self):
        machine = self.machine()
        path = f"/api/virtual-machines/{machine['virtualMachineId']}/sessions"
        return machine | {"sessionId": self.create(path, protocol="ssh")}

    def machine_to(self, action):
        """Brings the machine to where an action, `start` or `stop`, is possible."""
        path = "/api/virtual-machines/" + self.machine()["virtualMachineId"]
        self.settle()
        if (self.get(path)["state"] == "Stopped") != (action == "start"):
            self.call("POST", f"{path}/{'stop' if action == 'start' else 'start'}")
            self.settle()

    def settle(self):
        """Lets the work end that was begun."""
        self.call("POST", "/sandbox/clock", {"advanceMilliseconds": 60_000})


def token(base, client, secret):
    form = {"grant_type": "client_credentials", "client_id": client, "client_secret": secret, "scope": "api"}
    request = urllib.request.Request(f"{base}/identity/connect/token", data=urllib.parse.urlencode(form).encode())
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["access_token"]
