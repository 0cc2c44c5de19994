// Elements out of data. Text always enters as text, so that no label is ever markup.

export function h(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function s(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

// A picture: `said` is what a reader who cannot see it is told.
export function picture(width, height, said, ...parts) {
  const view = `0 0 ${width} ${height}`;
  return s("svg", { width, height, viewBox: view, role: "img", "aria-label": said }, ...parts);
}

export function titled(element, text) {
  element.append(s("title", {}, text));
  return element;
}

export function line(points, attributes) {
  const d = points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  return s("path", { d, ...attributes });
}

export function legend(...entries) {
  const items = entries.map(([kind, text]) => {
    const key = s("svg", { width: 26, height: 12, "aria-hidden": "true" });
    if (kind.startsWith("chip"))
      key.append(s("rect", { x: 2, y: 1, width: 22, height: 10, rx: 3, class: kind }));
    else if (kind.startsWith("fill")) key.append(s("rect", { width: 26, height: 12, class: kind }));
    else
      key.append(
        line(
          [
            [1, 6],
            [25, 6],
          ],
          { class: kind },
        ),
      );
    return h("li", {}, key, text);
  });
  return h("ul", { class: "legend" }, items);
}
