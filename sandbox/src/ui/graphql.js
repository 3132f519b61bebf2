import { authorization, content, element } from "./common.js";
import { Raw, pretty, written } from "./json.js";

const query = element("textarea", { id: "query", rows: 12, cols: 80, "aria-label": "query" },
  "{\n  viewer { subject teams { id role } }\n  projects { id name }\n  operations(first: 10) { id kind state isFinal }\n}");
const variables = element("textarea", { id: "variables", rows: 3, cols: 80, "aria-label": "variables" }, "{}");
const output = element("pre", { id: "result" });
const schema = element("pre", { id: "schema" });
let running;

function print(value) {
  output.textContent += `${value}\n`;
}

/** Reads results as server-sent events: one of a query, any number of a subscription. */
async function run() {
  running?.abort();
  running = new AbortController();
  output.textContent = "";
  try {
    const body = written({ query: query.value, variables: new Raw(variables.value || "{}") });
    const headers = { "Content-Type": "application/json", Accept: "text/event-stream", ...authorization() };
    const response = await fetch("/graphql", { method: "POST", headers, body, signal: running.signal });
    if (!response.ok) return print(`${response.status}: ${response.status === 401 ? "log in first" : await response.text()}`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return print("— end —");
      text += value;
      const events = text.split("\n\n");
      text = events.pop();
      for (const event of events) {
        const data = event.match(/^event: next\ndata: (.*)$/s)?.[1];
        if (data) print(pretty(data));
      }
    }
  } catch (error) {
    if (error.name !== "AbortError") print(String(error));
  }
}

async function loadSchema() {
  const response = await fetch("/graphql/schema", { headers: authorization() });
  schema.textContent = response.ok ? await response.text() : `${response.status}: ${response.status === 401 ? "log in first" : response.statusText}`;
}

content.append(query, element("label", {}, "Variables"), variables, element("p", {},
  element("button", { id: "run", onclick: run }, "Run"), " ", element("button", { onclick: () => running?.abort() }, "Stop")),
  output, element("h2", {}, "Schema"), schema);
await loadSchema();
