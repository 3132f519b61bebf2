"""Runs the steps of sandbox/Containerfile in a scratch folder, a folder for each stage, and starts what comes out. An absolute path is
one below the folder of its stage."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).parents[3]
# The libraries of debian:bookworm-slim that need no further package.
SYSTEM = ("linux-vdso", "libc.so", "libm.so", "libgcc_s.so", "libdl.so", "libpthread.so", "ld-linux")


def steps(text):
    """Instructions and their arguments, without comments."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for step in "\n".join(lines).replace("\\\n", " ").splitlines():
        yield tuple(step.split(maxsplit=1))


def flags(words):
    """The flags before the arguments, and the arguments."""
    found = {}
    while words[0].startswith("--"):
        name, _, value = words.pop(0)[2:].partition("=")
        found[name] = value
    return found, words


class Stage:
    """A folder in the place of the file system of a stage."""

    def __init__(self, root):
        self.root, self.workdir, self.arguments = root, "/", {}
        root.mkdir()

    def place(self, path):
        return self.root / os.path.normpath(os.path.join(self.workdir, path)).lstrip("/")

    def words(self, words):
        return [str(self.place(word)) if word.startswith("/") else word for word in words]

    def run(self, command):
        mapped = re.sub(r"(?<=\s)/[\w./-]+", lambda path: str(self.place(path[0])), " " + command)
        # The libraries are compiled already, for the tests.
        environment = {"CARGO_TARGET_DIR": str(ROOT / "target")} | os.environ | self.arguments
        subprocess.run(["sh", "-euc", mapped], cwd=self.place("."), env=environment, check=True)


def context(target):
    """The context that a builder sends: the files of the repository that .dockerignore leaves."""
    ignored = tuple(line + "/" for line in (ROOT / ".dockerignore").read_text().split())
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(command, cwd=ROOT, text=True).split("\0"):
        if name and not name.startswith(ignored) and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    copied = shutil.copytree if source.is_dir() else shutil.copy2
    copied(source, target)


def build(scratch):
    """Every step; the last stage, and what it declares."""
    stages, declared = {}, {}
    for instruction, rest in steps((ROOT / "sandbox/Containerfile").read_text()):
        if instruction == "FROM":
            image, _, name = rest.partition(" AS ")
            assert ":" in image and not image.endswith(":latest"), f"{image} is not pinned"
            stage = stages[name or image] = Stage(scratch / f"stage-{len(stages)}")
            if image.startswith("rust:"):
                toolchain = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
                assert image.startswith(f"rust:{toolchain}-"), f"the workspace is built with {toolchain}, not {image}"
        elif instruction == "ARG":
            name = rest.partition("=")[0]
            # In the profile of the tests.
            stage.arguments[name] = {"PROFILE": "dev"}[name]
        elif instruction == "WORKDIR":
            stage.workdir = rest
            stage.place(".").mkdir(parents=True, exist_ok=True)
        elif instruction == "COPY":
            found, (source, target) = flags(rest.split())
            if "from" in found:
                copy(stages[found["from"]].place(source), stage.place(target))
            else:
                assert (source, target) == (".", "."), rest
                context(stage.place("."))
        elif instruction == "RUN":
            stage.run(rest)
        elif instruction in ("USER", "VOLUME", "EXPOSE"):
            declared[instruction] = rest
        elif instruction in ("ENTRYPOINT", "HEALTHCHECK"):
            declared[instruction] = json.loads(rest[rest.index("[") :])
        else:
            raise SystemExit(f"{instruction} is a step that this test does not know")
    return stage, declared


def main():
    with tempfile.TemporaryDirectory() as scratch:
        stage, declared = build(pathlib.Path(scratch))
        user, entrypoint, check = declared["USER"], declared["ENTRYPOINT"], declared["HEALTHCHECK"]
        assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user), f"{user} has to be numbers, and not root"
        ports = [entrypoint[entrypoint.index(flag) + 1] for flag in ("--port", "--compliance-port")]
        assert declared["EXPOSE"].split() == ports, declared
        assert f"http://127.0.0.1:{ports[0]}" in check, check
        assert declared["VOLUME"] == entrypoint[entrypoint.index("--secrets") + 1], declared
        program = stage.place("/usr/local/bin") / entrypoint[0]
        needed = subprocess.check_output(["ldd", program], text=True).splitlines()
        foreign = [line for line in needed if not pathlib.Path(line.split()[0]).name.startswith(SYSTEM)]
        assert not foreign, foreign
        # The last arguments take precedence: the ports of the image may be in use on this machine.
        here = ["--listen", "127.0.0.1", "--port", "0", "--compliance-port", "0", "--json", "--end-with-stdin"]
        command = [program, *stage.words(entrypoint[1:]), *here]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sandbox:
            told = json.loads(sandbox.stdout.readline())
            secrets = [client["secret_file"] for client in told["clients"]]
            assert secrets and all(path.startswith(str(stage.place("/secrets"))) for path in secrets), secrets
            base = f"http://127.0.0.1:{ports[0]}"
            healthy = [program, *(told["base_url"] if word == base else word for word in check[1:])]
            subprocess.run(healthy, check=True, stdout=subprocess.DEVNULL)
            sandbox.stdin.close()
        assert sandbox.returncode == 0, sandbox.returncode
        ended = subprocess.run(healthy, stderr=subprocess.DEVNULL)
        assert ended.returncode != 0, "a sandbox that has ended is not healthy"
        assert not list(stage.place("/secrets").glob("*.secret")), "the secrets are left"
        print("ok: each step of sandbox/Containerfile runs, and what comes out is healthy until it ends")


main()
