"""Adds a pet, changes it, and removes it. It waits for the sandbox, which starts at the same time."""

import json
import os
import time
import urllib.error
import urllib.request

BASE = os.environ["BASE_URL"]


def send(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read() or "null")


for attempt in range(100):
    try:
        before = send("GET", "/pets")
        break
    except urllib.error.URLError:
        time.sleep(0.1)
else:
    raise SystemExit(f"{BASE} does not answer")

pet = send("POST", "/pets", {"name": "Rex"})
assert pet in send("GET", "/pets"), "the new pet is missing"
send("PUT", f"/pets/{pet['id']}", {"name": "Max"})
assert send("GET", f"/pets/{pet['id']}")["name"] == "Max"
send("DELETE", f"/pets/{pet['id']}")
assert send("GET", "/pets") == before
print("a pet was added, changed and removed")
