"""Gets a token, makes one resource of each kind, and writes what schemathesis needs: contract, token, configuration."""

import json
import pathlib
import sys

import data

base, folder, template, work = sys.argv[1:]
work = pathlib.Path(work)
secret = pathlib.Path(folder, "aurora-automation.secret").read_text().strip()
token = data.token(base, "aurora-automation", secret)
sandbox = data.Sandbox(base, token)

component = sandbox.component()
report = sandbox.create("/api/forum/v1/moderation/reports", threadId=sandbox.thread()["threadId"])
prepared = {
    "": sandbox.variable(component)
    | sandbox.grant(component)
    | sandbox.deployment(component)
    | sandbox.role()
    | sandbox.credential()
    | sandbox.registry()
    | sandbox.billing_account()
    | sandbox.payment_plan()
    | sandbox.repository()
    | sandbox.reply()
    | sandbox.command()
    | sandbox.session()
    | sandbox.control("/api/compliance")
    | {
        "connectionId": sandbox.get("/api/client-db/v1/connections")[0]["id"],
        "reportId": report,
        "table": "customers",
    },
    # Parameters of the same name on this path mean something else.
    "^/api/compliance/v1/": sandbox.control("/api/compliance/v1"),
    "^/api/devops/v1/terraform-deployments/": sandbox.terraform(),
}
lines = []
for paths, parameters in prepared.items():
    lines.append(f'[[operations]]\ninclude-path-regex = "{paths}"' if paths else "[parameters]")
    lines.append("[operations.parameters]" if paths else "")
    lines += [f'"path.{name}" = "{value}"' for name, value in parameters.items()]
plain = pathlib.Path(template).read_text().replace("HOOKS", str(pathlib.Path(__file__).with_name("hooks.py")))
(work / "plain.toml").write_text(plain)
(work / "prepared.toml").write_text(plain + "\n".join(lines) + "\n")
(work / "prepared.json").write_text(json.dumps(sorted({value for found in prepared.values() for value in found.values()})))
(work / "contract.json").write_text(json.dumps(sandbox.get("/swagger/v1/swagger.json")))
token_file = work / "token"
token_file.touch(mode=0o600)
token_file.write_text(token)
