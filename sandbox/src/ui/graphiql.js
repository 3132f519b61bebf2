import { authorization, content } from "./common.js";

const query = `{
  viewer { subject teams { id role } }
  projects { id name }
  operations(first: 10) { id kind state isFinal }
}
`;

/** Reads results as server-sent events: one of a query, any number of a subscription. */
async function* fetcher(parameters, options) {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream", ...authorization(), ...options?.headers };
  const response = await fetch("/graphql", { method: "POST", headers, body: JSON.stringify(parameters) });
  if (!response.ok) throw new Error(`${response.status}: ${response.status === 401 ? "log in first" : await response.text()}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let text = ""; ;) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (text + value).split("\n\n");
      text = events.pop();
      for (const event of events) {
        const data = event.match(/^event: next\ndata: (.*)$/s)?.[1];
        if (data) yield JSON.parse(data);
      }
    }
  } finally {
    await reader.cancel();
  }
}

content.style.height = "calc(100vh - 9rem)";
ReactDOM.createRoot(content).render(React.createElement(GraphiQL, { fetcher, defaultQuery: query }));
