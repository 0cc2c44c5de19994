// Where the documents come from: packed into this page, or served beside it.

export const UNIT = 10000; // a probability of one

class Packed {
  constructor(parts) {
    this.parts = parts;
    this.live = false;
  }

  cohort() {
    return unpacked(this.parts.cohort);
  }

  async episode(position) {
    const packed = this.parts.episodes[position];
    if (packed) return unpacked(packed);
    throw new Error(
      "This file holds the details of some episodes only, to stay small. " +
        "Write it with more of them (--episodes), or use untaken explore.",
    );
  }

  holds(position) {
    return position in this.parts.episodes;
  }
}

class Served {
  live = true;

  cohort() {
    return fetched("api/cohort");
  }

  episode(position) {
    return fetched(`api/episodes/${position}`);
  }

  whatIf(position, changes) {
    const asked = changes.map(([step, action]) => `change=${step}:${action}`).join("&");
    return fetched(`api/episodes/${position}/what-if?${asked}`);
  }

  holds() {
    return true;
  }
}

export function source() {
  const data = document.getElementById("data");
  return data ? new Packed(JSON.parse(data.textContent)) : new Served();
}

async function unpacked(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

async function fetched(address) {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  const told = await response.json();
  if (!response.ok) throw new Error(told.error ?? response.statusText);
  return told;
}

// By how much the answer about one episode is better than what was observed; null without one.
export function gainOf(cohort, place, k) {
  const outcomes = cohort.rows.outcome[place];
  return outcomes ? better(cohort, outcomes[k], cohort.rows.observed[place]) : null;
}

// Math.max takes its values as arguments, of which a browser passes on so many only.
export function largest(values) {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}

export function smallest(values) {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

// By how much one outcome is better than another.
export function better(cohort, outcome, than) {
  return cohort.minimise ? than - outcome : outcome - than;
}
