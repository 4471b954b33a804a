// Requests to our own server, with the session and its CSRF token.

function csrfToken() {
  const pair = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  if (pair) return decodeURIComponent(pair.slice("csrftoken=".length));
  return document.querySelector("input[name=csrfmiddlewaretoken]")?.value ?? "";
}

/** Post JSON; gives the parsed answer, throws on any status that is not a success. */
export function postJson(url, body) {
  return sendJson("POST", url, body);
}

export function patchJson(url, body) {
  return sendJson("PATCH", url, body);
}

async function sendJson(method, url, body) {
  const response = await fetch(url, {
    method,
    headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.status === 204 ? null : response.json().catch(() => null);
}

/** Fetch a server-rendered part of a page as a DocumentFragment. */
export async function fetchFragment(url) {
  const response = await fetch(url, { headers: { "HX-Request": "true", Accept: "text/html" } });
  if (!response.ok || response.redirected) throw new Error(`${url}: ${response.status}`);
  const holder = document.createElement("template");
  holder.innerHTML = await response.text();
  return holder.content;
}
