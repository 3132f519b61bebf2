import "./common.js";

// Swagger UI's colours are for a light page.
document.documentElement.style.colorScheme = "light";
SwaggerUIBundle({
  url: "/sandbox/openapi.yaml",
  dom_id: "#content",
  docExpansion: "list",
  tryItOutEnabled: true,
  // No other server hears of this document.
  validatorUrl: null,
});
