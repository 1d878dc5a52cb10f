// Reads and makes addresses inside the page: #/sales?q=49,90 is the page "sales" with its query, and #/sale/01J… has a
// parameter.

export function readRoute(hash = location.hash) {
  const [address, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name, ...parameters] = address.split("/").filter(Boolean).map(decode);
  return {name: name ?? "today", parameters, query: Object.fromEntries(new URLSearchParams(query))};
}

export function href(name, parameters = [], query = {}) {
  const set = Object.entries(query).filter(
    ([, value]) => value !== "" && value !== null && value !== undefined && value !== false,
  );
  const address = [name, ...parameters].map(encodeURIComponent).join("/");
  return `#/${address}${set.length > 0 ? `?${new URLSearchParams(set)}` : ""}`;
}

export function go(...where) {
  location.hash = href(...where);
}

// An address that a person has edited may not be valid text.
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
