import { authorization, content, element } from "./common.js";

const source = new URL(configObject.urls[0].url, location.href);
const response = await fetch(source, { headers: authorization() });
if (!response.ok) content.append(`The contract answers ${response.status}: log in first.`);
const contract = response.ok ? await response.json() : { paths: {}, info: {} };

function resolve(schema) {
  return schema?.$ref ? contract.components.schemas[schema.$ref.split("/").pop()] : schema ?? {};
}

/** A value that a schema allows, as a first draft of a body. */
function draft(schema, depth = 0) {
  const found = resolve(schema);
  if (depth > 5) return null;
  if (found.oneOf) return draft(found.oneOf[0], depth + 1);
  if (found.enum) return found.enum[0];
  if (found.type === "array") return [];
  if (found.type === "integer" || found.type === "number") return 0;
  if (found.type === "boolean") return false;
  if (found.type === "string") {
    return found.format === "uuid" ? "00000000-0000-0000-0000-000000000000" : found.format === "date-time" ? new Date().toISOString() : "";
  }
  const fields = Object.assign({}, ...(found.allOf ?? []).map((part) => draft(part, depth + 1)));
  for (const [name, property] of Object.entries(found.properties ?? {})) {
    if (!property.readOnly) fields[name] = draft(property, depth + 1);
  }
  return fields;
}

function bodyField(operation) {
  const json = operation.requestBody?.content?.["application/json"];
  if (!json) return undefined;
  return element("textarea", { rows: 8, cols: 80, "aria-label": "body" }, JSON.stringify(draft(json.schema), null, 2));
}

async function send(method, path, operation, inputs, body, output) {
  const url = new URL(path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inputs.get(`path ${name}`)?.value ?? "")), location.origin);
  const headers = { Accept: "application/json, */*", ...authorization() };
  for (const parameter of operation.parameters ?? []) {
    const value = inputs.get(`${parameter.in} ${parameter.name}`)?.value;
    if (value && parameter.in === "query") url.searchParams.append(parameter.name, value);
    if (value && parameter.in === "header") headers[parameter.name] = value;
  }
  if (body) headers["Content-Type"] = "application/json";
  const answer = await fetch(url, { method: method.toUpperCase(), headers, body: body?.value });
  const text = await answer.text();
  let shown = text;
  try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* It is no JSON. */ }
  output.textContent = `${answer.status} ${answer.statusText}\n${shown}`;
}

function show(method, path, operation) {
  const inputs = new Map();
  const rows = (operation.parameters ?? []).map((parameter) => {
    const input = element("input", { "aria-label": parameter.name, size: 40 });
    inputs.set(`${parameter.in} ${parameter.name}`, input);
    return element("tr", {}, element("td", {}, parameter.name), element("td", {}, parameter.in), element("td", {}, input));
  });
  const body = bodyField(operation);
  const output = element("pre", { class: "output", hidden: true });
  const button = element("button", { onclick: async () => { output.hidden = false; await send(method, path, operation, inputs, body, output); } }, "Send");
  const statuses = Object.entries(operation.responses).map(([status, answer]) =>
    element("li", {}, `${status} ${answer.description} `, element("small", {}, Object.keys(answer.content ?? {}).join(", "))));
  return element("details", { "data-operation": `${method} ${path}` },
    element("summary", {}, element("span", { class: "method" }, method.toUpperCase()), element("code", {}, path), " ",
      element("span", { class: "tag" }, operation["x-provenance"]), " ", operation.summary ?? ""),
    operation.description ? element("p", {}, operation.description) : undefined,
    rows.length ? element("table", {}, ...rows) : undefined, body,
    element("ul", {}, ...statuses), button, output);
}

const groups = new Map();
for (const [path, item] of Object.entries(contract.paths)) {
  for (const [method, operation] of Object.entries(item)) {
    const tag = operation.tags[0];
    groups.set(tag, [...(groups.get(tag) ?? []), show(method, path, operation)]);
  }
}
content.append(element("p", {}, `${contract.info.title ?? ""} — `, element("a", { href: source }, source.pathname)));
for (const [tag, operations] of groups) content.append(element("h2", {}, tag), ...operations);
