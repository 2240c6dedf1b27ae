// The documentation of the API: Swagger UI, with our OpenAPI document.
"use strict";

const dark = matchMedia("(prefers-color-scheme: dark)");
const setTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", setTheme);
setTheme();

// No validator: it is on another host.
SwaggerUIBundle({ url: "openapi.json", dom_id: "#api", validatorUrl: null });
