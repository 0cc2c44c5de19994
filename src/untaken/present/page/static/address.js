// What a page shows stands in its address, so that it can be shared: an episode and a budget.

export function addressOf(id, k) {
  return `#/${id === null ? "" : `episode/${encodeURIComponent(id)}`}?k=${k}`;
}

export function readAddress(hash, most) {
  const [place, asked] = hash.replace(/^#\/?/, "").split("?");
  const k = Number.parseInt(new URLSearchParams(asked ?? "").get("k") ?? "", 10);
  const known = Number.isInteger(k) ? Math.min(Math.max(k, 0), most) : Math.min(3, most);
  return { id: place.startsWith("episode/") ? decoded(place.slice(8)) : null, k: known };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
