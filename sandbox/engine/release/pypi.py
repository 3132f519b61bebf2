"""Starts the program of this wheel. It runs only if it is the one of this release."""

import hashlib
import os
import pathlib
import subprocess
import sys

FILE = "@FILE@"
CHECKSUM = "@CHECKSUM@"


def main():
    program = pathlib.Path(__file__).parent / FILE
    try:
        checksum = hashlib.sha256(program.read_bytes()).hexdigest()
    except OSError as error:
        return fail(f"{program} cannot be read: {error}")
    if checksum != CHECKSUM:
        return fail(f"{program} is not the program of this release: install the package again")
    if os.name == "nt":
        return subprocess.run([program, *sys.argv[1:]]).returncode
    os.execv(program, [str(program), *sys.argv[1:]])


def fail(message):
    print(f"error[pypi]: {message}", file=sys.stderr)
    return 6


if __name__ == "__main__":
    sys.exit(main())
