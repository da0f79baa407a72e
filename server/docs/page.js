"use strict";

// The routes are called where the page comes from, whatever path a proxy has put before it.
const server = new URL("..", location.href).href.replace(/\/$/, "");

// A stream goes on for ever: what comes of it within a moment is shown.
async function fetchMoment(url, options) {
  const leaving = new AbortController();
  const answer = await fetch(url, {...options, signal: leaving.signal});
  const moment = setTimeout(() => leaving.abort(), 2000);
  const text = new TextDecoder();
  let body = "";
  try {
    for (const reader = answer.body.getReader(); ;) {
      const {done, value} = await reader.read();
      if (done) {
        break;
      }
      body += text.decode(value, {stream: true});
    }
  } catch {
    body += ": and so on\n";
  }
  clearTimeout(moment);
  return new Response(body, {status: answer.status, statusText: answer.statusText, headers: answer.headers});
}

function intercept(request) {
  if (new URL(request.url).searchParams.get("watch") === "true") {
    request.userFetch = fetchMoment;
  }
  return request;
}

async function show() {
  const answer = await fetch("openapi.json");
  if (!answer.ok) {
    throw new Error(`openapi.json is answered with ${answer.status}`);
  }
  const spec = await answer.json();
  spec.servers = [{url: server}];
  SwaggerUIBundle({
    spec,
    dom_id: "#page",
    deepLinking: true,
    validatorUrl: null,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    showCommonExtensions: true,
    requestInterceptor: intercept,
  });
}

show().catch((error) => {
  document.getElementById("page").textContent = `The API cannot be shown: ${error.message}. Load the page again.`;
});
