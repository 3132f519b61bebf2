"""Functions that schemathesis calls while it runs: fresh resources for operations that use theirs up, and cases that can be sent as
what they are. It counts the answers, too."""

import atexit
import collections
import json
import os
import pathlib
import sys

import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.transport.serialization import Binary

sys.path.append(str(pathlib.Path(__file__).parent))
import data  # noqa: E402

# The tool runs in the folder that prepare.py has written.
sandbox = data.Sandbox(os.environ["BASE"], os.environ["SANDBOX_TOKEN"])
own = sandbox.identifiers()
prepared = set(json.loads(pathlib.Path("prepared.json").read_text()))
answers = collections.Counter()
sent = collections.Counter()
used = {}

PROJECTS = "/api/projects/v1/projects"
COMPONENT = f"{PROJECTS}/{{project_id}}/components/{{componentId}}"
TEAM = "/api/teams/v1/teams/{teamId}"
TERRAFORM = "/api/devops/v1/terraform-deployments/{deploymentId}"
CONTENT = "/api/devops/v1/repositories/{repositoryId}/files/content"
MACHINE = "/api/virtual-machines/{virtualMachineId}"

# Operations after which their resource is gone, or in a state that refuses them.
FRESH = {
    f"DELETE {TEAM}/roles/{{roleId}}": sandbox.role,
    f"DELETE {TEAM}/service-provider-credentials/{{credentialId}}": sandbox.credential,
    f"DELETE {TEAM}/container-registries/{{registryId}}": sandbox.registry,
    f"DELETE {PROJECTS}/{{project_id}}": sandbox.project,
    f"DELETE {COMPONENT}": sandbox.component,
    f"DELETE {COMPONENT}/environment-variables/{{name}}": sandbox.variable,
    f"DELETE {COMPONENT}/access-grants/{{grantId}}": sandbox.grant,
    f"POST {COMPONENT}/deployments/{{deploymentId}}/cancel": sandbox.deployment,
    "DELETE /api/marketplace/v1/store-items/{storeItemId}/payment-plans/{paymentPlanId}": sandbox.payment_plan,
    "DELETE /api/devops/v1/repositories/{repositoryId}": sandbox.repository,
    f"POST {TERRAFORM}/apply": sandbox.terraform,
    f"POST {TERRAFORM}/destroy": sandbox.terraform,
    f"DELETE {MACHINE}/sessions/{{sessionId}}": sandbox.session,
    "DELETE /api/forum/v1/threads/{threadId}": sandbox.thread,
}


@schemathesis.hook
def before_call(context, case, kwargs):
    label = case.operation.label
    if case.method.upper() != case.operation.method.upper():
        return
    sent[label] += 1
    if label in FRESH and case.path_parameters and prepared.issuperset(case.path_parameters.values()):
        # A used resource is requested once more, to get the refusal as well.
        if sent[label] % 2 or label not in used:
            used[label] = FRESH[label]()
        case.path_parameters = used[label]
    elif sent[label] % 2:
        put_in_place(label, case)


def put_in_place(label, case):
    if label == f"POST {PROJECTS}" and isinstance(case.body, dict) and own.keys() <= case.body.keys():
        case.body = case.body | own
    elif label in (f"POST {MACHINE}/start", f"POST {MACHINE}/stop"):
        sandbox.machine_to(label.rsplit("/", 1)[1])
    elif label == "GET /api/virtual-machines/sessions/current" and case.cookies:
        case.cookies = {"vm-session": sandbox.session()["sessionId"]}
    elif label in (f"GET {CONTENT}", f"DELETE {CONTENT}") and case.query:
        case.path_parameters = sandbox.repository()
        case.query = {"path": "a.txt"}
        path = CONTENT.format(**case.path_parameters) + "?path=a.txt"
        sandbox.call("PUT", path, b"text", {"Content-Type": "application/octet-stream"})


@schemathesis.hook
def map_body(context, body):
    """The tool percent-encodes quotes and line ends in the name of a part, and sends other control characters as they are,
    though a header holds none (RFC 9110 §5.5). It keeps them out of other headers (schemathesis pull request 3706)."""
    content = context.operation.definition.raw.get("requestBody", {}).get("content", {})
    if "multipart/form-data" not in content or not isinstance(body, dict):
        return body
    encoded = {code: f"%{code:02X}" for code in (*range(0x20), 0x7F)}
    return {name.translate(encoded): value for name, value in body.items()}


@schemathesis.hook
def filter_case(context, case):
    """Leaves out what the tool means as a violation and what is none when it is sent. It knows some of these by itself
    (schemathesis pull requests 3375 and 4040)."""
    is_form = case.media_type == "multipart/form-data" and isinstance(case.body, dict)
    if is_form and case.meta and case.meta.is_negative_at(ParameterLocation.BODY):
        schema = case.operation.get_body_for_media_type(case.media_type).definition["schema"]
        if case.body.keys() >= set(schema.get("required", [])):
            found = {name: part for name, part in schema["properties"].items() if name in case.body}
            return not all(fits_in_form(part, case.body[name]) for name, part in found.items())
    values = list((case.query or {}).values())
    # An empty array or object in an object of the query cannot be sent, and `ids=` is the empty array.
    parts = [part for value in values if isinstance(value, dict) for part in value.values()]
    return [""] not in values and all(part not in ([], {}) for part in parts)


def fits_in_form(schema, value):
    """A form has texts and files, and nothing else: a number is a text, a text in the place of a file is a file, a field that
    occurs once is an array of one, and an empty array is no field."""
    parts = value if isinstance(value, list) else [value]
    is_array = schema["type"] == "array"
    if len(parts) != 1 and not is_array:
        return not parts
    part = schema["items"] if is_array else schema
    if part["type"] == "boolean":
        return str(parts[0]).lower() in ("true", "false")
    return part.get("format") != "binary" or all(isinstance(one, (str, bytes, Binary)) for one in parts)


@schemathesis.hook
def after_call(context, case, response):
    if case.method.upper() == case.operation.method.upper():
        answers[f"{case.operation.label} {response.status_code}"] += 1


@atexit.register
def write():
    pathlib.Path(f"answers-{os.getpid()}.json").write_text(json.dumps(answers))
