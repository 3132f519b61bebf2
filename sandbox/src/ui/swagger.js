// Swagger UI, with a filter for operations, the documented ones first, and the assumed ones marked.

import { content, element } from "./common.js";

/** The provenance of an operation of Swagger UI's own model. */
const provenance = (operation) => operation.getIn(["operation", "x-provenance"]);

/** Takes operations whose path, method, summary or tag holds a text. */
const filter = {
  fn: {
    opsFilter(tagged, text) {
      const wanted = text.toLowerCase();
      const fits = (tag) => (operation) => [operation.get("path"), operation.get("method"), operation.getIn(["operation", "summary"]), provenance(operation), tag]
        .some((part) => String(part ?? "").toLowerCase().includes(wanted));
      return tagged.map((group, tag) => group.set("operations", group.get("operations").filter(fits(tag)))).filter((group) => group.get("operations").size > 0);
    },
  },
};

/** Says beside the path where an operation is known from. A link within the button of an operation could not be reached with keys. */
const marks = {
  wrapComponents: {
    OperationSummaryPath: (Original, system) => (props) => {
      const { React, specSelectors } = system;
      const [path, method] = ["path", "method"].map((name) => props.operationProps.get(name));
      const known = specSelectors.specJson().getIn(["paths", path, method, "x-provenance"]);
      const mark = known ? React.createElement("span", { className: `provenance ${known}` }, known) : null;
      return React.createElement(React.Fragment, null, React.createElement(Original, props), mark);
    },
    DeepLink: (_, { React }) => ({ text }) => React.createElement("span", null, text),
  },
};

/** The presented parts: without a main part and a title, which the page has. */
const layout = (system) => ({
  components: {
    SandboxLayout({ getComponent, specSelectors }) {
      const draw = system.React.createElement;
      if (specSelectors.specJson().size === 0) return draw("div", { className: "swagger-ui" }, draw(getComponent("errors", true)));
      const safe = specSelectors.securityDefinitions() ? draw("div", { className: "scheme-container" }, draw(getComponent("AuthorizeBtnContainer", true))) : null;
      return draw("div", { className: "swagger-ui" }, draw(getComponent("SvgAssets")), draw(getComponent("errors", true)), safe,
        draw(getComponent("FilterContainer", true)), draw("div", { id: "operations" }, draw(getComponent("operations", true))), draw(getComponent("Models", true)));
    },
  },
});

/** Names the fields that Swagger UI leaves without a name. */
function nameFields(place) {
  const name = (field) => {
    if (field.labels?.length > 0 || field.ariaLabel || field.getAttribute("aria-labelledby")) return;
    const cell = field.closest("tr")?.querySelector(".parameter__name")?.textContent;
    field.ariaLabel = cell ?? field.placeholder ?? (field.closest(".opblock-section-request-body") ? "Request body" : "Value");
    if (!field.ariaLabel) field.ariaLabel = field.closest(".opblock-section-request-body") ? "Request body" : "Value";
  };
  new MutationObserver(() => place.querySelectorAll("input, select, textarea").forEach(name)).observe(place, { childList: true, subtree: true });
}

function followColours() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", set);
  set();
}

/** Shows a contract: its address, or the document itself. */
export function swagger(options) {
  followColours();
  const spec = options.spec;
  const documented = new Set(Object.values(spec?.paths ?? {}).flatMap((item) => Object.values(item))
    .filter((operation) => operation?.["x-provenance"] === "documented").flatMap((operation) => operation.tags ?? []));
  const first = (one, other) => Number(other) - Number(one);
  const place = element("div", { id: "contract" });
  content.append(element("h2", {}, "Operations"), place);
  nameFields(place);
  return SwaggerUIBundle({
    domNode: place,
    docExpansion: "list",
    filter: true,
    tryItOutEnabled: true,
    // No request to the public validator of swagger.io.
    validatorUrl: null,
    plugins: [filter, marks, layout],
    layout: "SandboxLayout",
    tagsSorter: (one, other) => first(documented.has(one), documented.has(other)) || one.localeCompare(other),
    operationsSorter: (one, other) => first(provenance(one) === "documented", provenance(other) === "documented"),
    ...options,
  });
}
