import { authorization, content, element, logIn, token } from "./common.js";

const query = `{
  viewer { subject teams { id role } }
  projects { id name }
  operations(first: 10) { id kind state isFinal }
}
`;

/** A result that GraphiQL shows as one; it shows an error of a script with its stack. */
const refused = (message) => ({ errors: [{ message }] });

/** Reads results as server-sent events: one of a query, any number of a subscription. */
async function* fetcher(parameters, options) {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream", ...authorization(), ...options?.headers };
  let response;
  try {
    response = await fetch("/graphql", { method: "POST", headers, body: JSON.stringify(parameters) });
  } catch {
    yield refused("The sandbox does not answer.");
    return;
  }
  if (!response.ok) {
    yield refused(response.status === 401 ? "401: log in first, with the button of the menu." : `${response.status}: ${await response.text()}`);
    return;
  }
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

if (!token()) content.append(element("p", { id: "signed-out", class: "hint" }, "You are not logged in: GraphQL answers callers with a token only. ",
  element("button", { type: "button", onclick: logIn }, "Log in")));
const place = element("div", { id: "graphiql" });
content.append(place);
// The editors have fields without a name, and scrollable parts that the keyboard cannot reach.
const names = { "graphiql-query-editor": "Query", "graphiql-editor-tool": "Variables and headers", "result-window": "Result" };
new MutationObserver(() => {
  for (const field of place.querySelectorAll("textarea:not([aria-label])")) {
    field.ariaLabel = Object.entries(names).find(([part]) => field.closest(`.${part}`))?.[1] ?? "Editor";
  }
  place.querySelectorAll(".CodeMirror-scroll:not([tabindex='0'])").forEach((region) => { region.tabIndex = 0; });
}).observe(place, { childList: true, subtree: true });
ReactDOM.createRoot(place).render(React.createElement(GraphiQL, { fetcher, defaultQuery: query }));
