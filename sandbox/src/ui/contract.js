import { authorization, claims, content, element, token } from "./common.js";
import { swagger } from "./swagger.js";

const url = new URL(configObject.urls[0].url, location.href).href;

/** The identifiers of the caller's team, in the body that a creation begins with: a project of another team is refused. */
async function prefill(contract) {
  const { teams } = await (await fetch("/sandbox/directory")).json();
  const team = teams.find(({ id }) => id === (claims().team_id ?? claims().tenant_id)) ?? teams[0];
  const body = contract.paths["/api/projects/v1/projects"]?.post?.requestBody?.content ?? {};
  for (const media of Object.values(body)) {
    media.example = { teamId: team.id, teamBillingAccountId: team.billingAccountId, storeItemPaymentPlanId: null, name: "My project",
      description: "Made on the page of the contract", category: "research", helpPage: "", serviceProviders: [] };
  }
}

const response = await fetch(url, { headers: authorization() });
if (response.ok) {
  const contract = await response.json();
  await prefill(contract);
  if (!token()) content.append(element("p", { id: "signed-out", class: "hint" }, "You are not logged in: requests are sent without a token, and the API answers 401."));
  content.append(element("p", { class: "hint" }, element("a", { href: url }, "The contract as JSON"), " · ", element("a", { href: url.replace(/json$/, "yaml") }, "as YAML"),
    " · ", element("span", { class: "provenance documented" }, "documented"), " is what the platform's document shows; ",
    element("span", { class: "provenance assumed" }, "assumed"), " is the sandbox's own shape."));
  swagger({
    spec: contract,
    deepLinking: true,
    showExtensions: true,
    // The token is added by the interceptor and is not displayed.
    showMutatedRequest: false,
    requestInterceptor(request) {
      request.headers = { ...authorization(), ...request.headers };
      return request;
    },
  });
} else {
  content.append(element("p", { id: "signed-out", class: "hint" }, response.status === 401 ? "This contract is shown to callers with a token: log in first." : `The contract is not there: ${response.status}.`));
}
