import { authorization } from "./common.js";

// Swagger UI's colours are for a light page.
document.documentElement.style.colorScheme = "light";
SwaggerUIBundle({
  url: new URL(configObject.urls[0].url, location.href).href,
  dom_id: "#content",
  deepLinking: true,
  docExpansion: "list",
  showExtensions: true,
  tryItOutEnabled: true,
  // What it shows of a request is without the token, which the interceptor adds.
  showMutatedRequest: false,
  // No other server hears of this contract.
  validatorUrl: null,
  requestInterceptor(request) {
    request.headers = { ...authorization(), ...request.headers };
    return request;
  },
});
