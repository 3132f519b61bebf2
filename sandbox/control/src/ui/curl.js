// Requests as commands for a shell.

/** The text that the journal has in the place of a secret. */
const MASK = "***";

/** A text as one word of a POSIX shell. */
export function word(text) {
  return part(String(text)) || "''";
}

function part(text) {
  return text === "" || /^[\w\-./:=,@%+]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A text as one word of PowerShell. */
export function powershellWord(text) {
  return `'${String(text).replaceAll("'", "''")}'`;
}

/** Headers that curl sets itself, and those of one connection. */
const LEFT_OUT = ["host", "content-length", "connection", "accept-encoding", "transfer-encoding", "expect", "cookie", "te", "upgrade"];

/** The address that the console was opened at, or that of a server beside it. The host that a request named is not an address to send a token to. */
function base(beside) {
  if (beside === undefined) return location.origin;
  const other = new URL(beside);
  other.hostname = location.hostname;
  return other.origin;
}

/** The member, field or header that a mask is the value of, as far as the text before it says. */
function named(before) {
  return /([A-Za-z][\w.-]*)[\\"'\]]*\s*[:=]\s*\\?["']?[^\\"'&,:=\s]*$/.exec(before.slice(-200))?.[1];
}

/** The command that sends a request of the journal again. A masked bearer token is `$TOKEN`; whatever else is masked has a variable of its own, which a comment names.
 * `beside` is the address of the server that the request went to, if it is not the one of the console. */
export function curl(request, beside) {
  const headers = request.request.headers;
  const address = base(beside) + request.path + (request.query ? `?${request.query}` : "");
  const variables = [];
  const variable = (name) => {
    const whole = `MASKED_${name.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase()}`;
    let unique = whole;
    for (let number = 2; variables.includes(unique); number += 1) unique = `${whole}_${number}`;
    variables.push(unique);
    return `"$${unique}"`;
  };
  const masked = (text, name) => {
    const [first, ...rest] = text.split(MASK);
    let before = first;
    return rest.reduce((shown, next) => {
      const found = variable(named(before) ?? name);
      before += MASK + next;
      return shown + found + part(next);
    }, part(first)) || "''";
  };
  const parts = ["curl", "--path-as-is"];
  if (/[[\]{}]/.test(address)) parts.push("--globoff");
  if (request.method === "HEAD") parts.push("--head");
  else if (request.method !== "GET" || request.request.length > 0) parts.push(`-X ${word(request.method)}`);
  parts.push(masked(address, "address"));
  for (const [name, value] of headers) {
    if (LEFT_OUT.includes(name) || name.startsWith("sec-")) continue;
    if (name === "authorization" && value.toLowerCase() === `bearer ${MASK}`) parts.push(`-H "authorization: ${value.slice(0, 6)} $TOKEN"`);
    else parts.push(`-H ${masked(value === "" ? `${name};` : `${name}: ${value}`, name)}`);
  }
  if (typeof request.request.body === "string" && request.request.length > 0) parts.push(`--data-raw ${masked(request.request.body, "body")}`);
  else if (request.request.length > 0) parts.push("--data-binary @body");
  let comment = variables.length > 0 ? `# The journal masks secrets. Set first, as they were sent: ${variables.join(", ")}\n` : "";
  if (parts.at(-1) === "--data-binary @body") comment += `# The journal does not have the body, ${request.request.length} bytes that are not text or too many: save it first as the file body\n`;
  return comment + parts.join(" \\\n  ");
}
