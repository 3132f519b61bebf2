#!/usr/bin/env python3
"""Packs the programs of a release: archives with their checksums, packages for npm, and wheels for PyPI.

pack.py PROGRAMS PACKAGES: PROGRAMS has a folder for each target, as build.sh leaves it. Targets without a folder are left out.
"""

import base64
import hashlib
import io
import json
import pathlib
import sys
import tarfile
import zipfile

HERE = pathlib.Path(__file__).parent
NAME = "driftless-sandbox"
MODULE = "driftless_sandbox"
ABOUT = "A stateful stand-in for any Swagger/OpenAPI contract, on loopback"
# The same programs give the same packages.
TIME = 315_532_800
TIME_OF_ZIP = (1980, 1, 1, 0, 0, 0)


def version():
    lines = (HERE / "../../../Cargo.toml").read_text().splitlines()
    return next(line.split('"')[1] for line in lines if line.startswith("version = "))


def programs(folder):
    """Target, system, processor and platform, and the file."""
    for line in (HERE / "targets.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        target, system, processor, platform = line.split()
        file = NAME + (".exe" if system == "win32" else "")
        path = folder / target / file
        if path.is_file():
            yield target, system, processor, platform, file, path.read_bytes()


def tar(files, prefix):
    """A tar.gz of (name, bytes, mode)."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.USTAR_FORMAT) as archive:
        for name, data, mode in files:
            entry = tarfile.TarInfo(f"{prefix}/{name}")
            entry.size, entry.mode, entry.mtime = len(data), mode, TIME
            archive.addfile(entry, io.BytesIO(data))
    packed = bytearray(packed.getvalue())
    # The header of gzip has the time of the packing.
    packed[4:8] = bytes(4)
    return bytes(packed)


def zipped(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data, mode in files:
            entry = zipfile.ZipInfo(name, TIME_OF_ZIP)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return packed.getvalue()


def licences():
    return [(name, (HERE / ".." / name).read_bytes(), 0o644) for name in ("LICENSE-APACHE", "LICENSE-MIT", "README.md")]


def manifest(**members):
    common = {"version": version(), "license": "MIT OR Apache-2.0", "description": ABOUT}
    return "package.json", (json.dumps(members | common, indent=2) + "\n").encode(), 0o644


def npm(found):
    """A package for each system, and the one that names them all."""
    checksums = {}
    for _, system, processor, _, file, data in found:
        name = f"{NAME}-{system}-{processor}"
        checksums[f"{system}-{processor}"] = hashlib.sha256(data).hexdigest()
        described = manifest(name=name, os=[system], cpu=[processor], files=[file])
        yield f"npm/{name}-{version()}.tgz", tar([described, (file, data, 0o755), *licences()], "package")
    described = manifest(
        name=NAME,
        bin={NAME: "npm.js"},
        files=["npm.js", "checksums.json"],
        engines={"node": ">=18"},
        optionalDependencies={f"{NAME}-{system}": version() for system in sorted(checksums)},
    )
    files = [
        described,
        ("npm.js", (HERE / "npm.js").read_bytes(), 0o755),
        ("checksums.json", json.dumps(checksums, indent=2, sort_keys=True).encode(), 0o644),
    ]
    yield f"npm/{NAME}-{version()}.tgz", tar([*files, *licences()], "package")


def wheel(platform, file, data):
    launcher = (HERE / "pypi.py").read_text()
    launcher = launcher.replace("@FILE@", file).replace("@CHECKSUM@", hashlib.sha256(data).hexdigest())
    info = f"{MODULE}-{version()}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\nSummary: {ABOUT}\nLicense: MIT OR Apache-2.0\n"
    metadata += "Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n" + (HERE / "../README.md").read_text()
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in platform.split("."))
    files = [
        (f"{MODULE}/__init__.py", launcher.encode(), 0o644),
        (f"{MODULE}/__main__.py", f"import sys\n\nfrom {MODULE} import main\n\nsys.exit(main())\n".encode(), 0o644),
        (f"{MODULE}/{file}", data, 0o755),
        (f"{info}/METADATA", metadata.encode(), 0o644),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: pack.py\nRoot-Is-Purelib: false\n{tags}".encode(), 0o644),
        (f"{info}/entry_points.txt", f"[console_scripts]\n{NAME} = {MODULE}:main\n".encode(), 0o644),
    ]

    def recorded(name, content):
        checksum = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        return f"{name},sha256={checksum},{len(content)}\n"

    record = "".join(recorded(name, content) for name, content, _ in files) + f"{info}/RECORD,,\n"
    files.append((f"{info}/RECORD", record.encode(), 0o644))
    return f"pypi/{MODULE}-{version()}-py3-none-{platform}.whl", zipped(files)


def packages(found):
    for target, system, _, platform, file, data in found:
        files = [(file, data, 0o755), *licences()]
        name = f"{NAME}-{version()}-{target}"
        if system == "win32":
            yield f"{name}.zip", zipped([(f"{name}/{inner}", *rest) for inner, *rest in files])
        else:
            yield f"{name}.tar.gz", tar(files, name)
        yield wheel(platform, file, data)
    yield from npm(found)


def main():
    source, target = map(pathlib.Path, sys.argv[1:])
    found = list(programs(source))
    if not found:
        raise SystemExit(f"{source} has no program: run build.sh first")
    sums = []
    for name, data in packages(found):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(data)
        sums.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")
        print(f"{len(data):>12} {name}")
    (target / "SHA256SUMS").write_text("".join(sorted(sums)))


if __name__ == "__main__":
    main()
