#!/usr/bin/env node
// Starts the program of this system. It lies in a package of its own, which npm installs because package.json lists it as optional.
// The program runs only if it is the one of this release.
"use strict";
const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

function fail(message) {
    process.stderr.write(`error[npm]: ${message}\n`);
    process.exit(6);
}

const checksums = require("./checksums.json");
const name = `${process.platform}-${process.arch}`;
if (!(name in checksums)) fail(`no program for ${name}: install it with cargo install driftless-sandbox`);
const file = process.platform === "win32" ? "driftless-sandbox.exe" : "driftless-sandbox";
let program;
try {
    program = require.resolve(`driftless-sandbox-${name}/${file}`);
} catch {
    fail(`the package driftless-sandbox-${name} is missing: install again, without leaving out optional dependencies`);
}
const checksum = createHash("sha256").update(readFileSync(program)).digest("hex");
if (checksum !== checksums[name]) fail(`${program} is not the program of this release: install the package again`);

const running = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => running.kill(signal));
running.on("error", (error) => fail(`${program} cannot be started: ${error.message}`));
running.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
