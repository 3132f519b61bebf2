"""Takes the pictures of the console in the README, in Chromium: `take.py PROGRAM CONTRACT`, with the contract of Radarr.

Python's library is enough: Chromium takes commands of its DevTools protocol from a pipe.
"""
import base64
import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

FOLDER = pathlib.Path(__file__).parent
COLLECTION = "/api/v3/tag"
PICTURES = [
    ("console-light", "explain", "#explain tr", "light", 1100, 620),
    ("console-dark", "state/c/" + COLLECTION.replace("/", "%2F"), "#items .invented", "dark", 1100, 480),
    ("console-phone", "requests/2", "#answered-rule", "light", 390, 780),
]
QUIET = ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
PATIENCE = 60  # seconds for a page


def end(process):
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()


class Browser:
    def __init__(self, profile, stack):
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4. The shell moves the pipes there; sh would not take descriptors above 9.
        words = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *QUIET, f"--user-data-dir={profile}"]
        moved = ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "sh", *words, "--remote-debugging-pipe", "about:blank"]
        self.process = subprocess.Popen(moved, pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stack.callback(end, self.process)
        os.close(commands)
        os.close(answers)
        self.number, self.rest, self.session = 0, b"", None
        page = next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                part = select.select([self.answers], [], [], PATIENCE)[0] and os.read(self.answers, 1 << 16)
                if not part:
                    sys.exit("Chromium ended, or does not answer")
                self.rest += part
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]

    def wait(self, expression):
        end = time.monotonic() + PATIENCE
        while self.call("Runtime.evaluate", expression=f"Boolean({expression})")["result"].get("value") is not True:
            if time.monotonic() > end:
                sys.exit(f"{expression} does not come true")
            time.sleep(0.05)


def send(url, body=None):
    headers = {"X-Api-Key": "any", "Content-Type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    try:
        urllib.request.urlopen(urllib.request.Request(url + COLLECTION, content, headers), timeout=10).close()
    except urllib.error.HTTPError as error:
        error.close()


def main():
    program, contract = sys.argv[1:]
    with contextlib.ExitStack() as stack:
        profile = tempfile.mkdtemp()
        stack.callback(shutil.rmtree, profile, ignore_errors=True)
        sandbox = subprocess.Popen([program, "--contract", contract, "--port", "0", "serve"], stdout=subprocess.PIPE)
        stack.callback(end, sandbox)
        url = re.search(r"listening on (http://[^\s/]+)", sandbox.stdout.readline().decode())[1]
        # Created, refused, listed.
        for body in ({"label": "4k"}, {"label": 4}, None):
            send(url, body)
        browser = Browser(profile, stack)
        for name, page, whole, scheme, width, height in PICTURES:
            browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            browser.call("Page.navigate", url="about:blank")
            browser.wait("location.href === 'about:blank'")
            browser.call("Page.navigate", url=f"{url}/sandbox#/{page}")
            browser.wait("document.querySelector('#live')?.textContent === '● live'")
            browser.wait(f"document.querySelector({json.dumps(whole)})")
            time.sleep(0.5)
            picture = base64.b64decode(browser.call("Page.captureScreenshot", format="png")["data"])
            (FOLDER / f"{name}.png").write_bytes(picture)
            print(f"{name}.png: {len(picture)} bytes")


if __name__ == "__main__":
    main()
