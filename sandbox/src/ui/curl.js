// Requests as commands for a shell.

/** A text as one word of a POSIX shell. What is masked in it becomes `$TOKEN`, which the shell fills in. */
export function word(text) {
  const plain = (part) => part === "" ? "" : /^[\w\-./:=,@%+]+$/.test(part) ? part : `'${part.replaceAll("'", "'\\''")}'`;
  const parts = String(text).split("***").map(plain);
  return parts.join('"$TOKEN"') || "''";
}

/** A text as one word of PowerShell. */
export function powershellWord(text) {
  return `'${String(text).replaceAll("'", "''")}'`;
}

/** What curl says itself, and what belongs to one connection. */
const LEFT_OUT = ["host", "content-length", "connection", "accept-encoding", "transfer-encoding", "expect", "cookie", "te", "upgrade"];

/** The command that sends a request of the journal again. Whatever is masked there is `$TOKEN`. */
export function curl(request) {
  const headers = request.request.headers;
  const host = headers.find(([name]) => name === "host")?.[1];
  const base = host && /^[\w.:[\]-]+$/.test(host) ? `http://${host}` : location.origin;
  const address = base + request.path + (request.query ? `?${request.query}` : "");
  const parts = ["curl"];
  if (/[[\]{}]/.test(address)) parts.push("--globoff");
  if (request.method === "HEAD") parts.push("--head");
  else if (request.method !== "GET" || request.request.length > 0) parts.push(`-X ${word(request.method)}`);
  parts.push(word(address));
  for (const [name, value] of headers) {
    if (LEFT_OUT.includes(name) || name.startsWith("sec-")) continue;
    parts.push(`-H ${word(value === "" ? `${name};` : `${name}: ${value}`)}`);
  }
  // A body that the journal does not show comes from a file.
  if (typeof request.request.body === "string" && request.request.length > 0) parts.push(`--data-raw ${word(request.request.body)}`);
  else if (request.request.length > 0) parts.push("--data-binary @body");
  return parts.join(" \\\n  ");
}
