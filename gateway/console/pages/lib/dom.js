// Makes the page's elements, and updates them in place. Text is inserted only as text nodes, so that nothing from a
// provider, a terminal or a file is ever read as markup.

const svgNamespace = "http://www.w3.org/2000/svg";

// These are the handlers of each element's events. An element listens once and looks its handler up here, so that an
// element which stays can get the handler of a later drawing.
const handlers = new WeakMap();
// These are what `later()` has yet to build, and the value from which an element's children were built.
const builders = new WeakMap();
const builtOf = new WeakMap();

// h("p.note", {title: "…"}, "text", node, [more]) makes an element; the properties may be left out. A property whose
// value is a function is the handler of that event. Null and false leave a property out, and true gives an attribute
// without a value.
export function h(selector, ...content) {
  return make(document.createElement(tagOf(selector)), selector, content);
}

export function svg(selector, ...content) {
  return make(document.createElementNS(svgNamespace, tagOf(selector)), selector, content);
}

// Makes an element whose children are built only where `value` has changed since the last time. It is for long lists.
export function later(selector, properties, value, builder) {
  const element = h(selector, properties);
  element.toggleAttribute("data-later", true);
  builders.set(element, {value, builder});
  return element;
}

// Makes the children of `parent` equal to `wanted`. It keeps every element that can stay, with its focus, its
// selection, what was typed into it, and its scroll position.
export function patch(parent, wanted) {
  const focused = document.activeElement;
  patchChildren(parent, nodes([wanted]));
  if (focused !== document.activeElement && parent.contains(focused)) focused.focus({preventScroll: true});
}

function tagOf(selector) {
  return selector.split(".", 1)[0];
}

function make(element, selector, content) {
  const classes = selector.split(".").slice(1);
  if (classes.length > 0) element.setAttribute("class", classes.join(" "));
  const [first] = content;
  const hasProperties =
    first !== null && typeof first === "object" && !Array.isArray(first) && !(first instanceof Node);
  if (hasProperties) setAll(element, content.shift());
  element.append(...nodes(content));
  return element;
}

function setAll(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") handle(element, name, value);
    else if (name === "class")
      element.setAttribute("class", [element.getAttribute("class"), value].filter(Boolean).join(" "));
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  }
}

function handle(element, type, handler) {
  if (!handlers.has(element)) handlers.set(element, {});
  const table = handlers.get(element);
  if (!table[type]) element.addEventListener(type, (event) => table[type]?.(event));
  table[type] = handler;
}

// A missing child becomes an empty comment, so that the following ones keep their places.
function nodes(content) {
  return content.flat(Infinity).map((child) => {
    if (child instanceof Node) return child;
    if (child === null || child === undefined || child === false) return document.createComment("");
    return document.createTextNode(String(child));
  });
}

function keyOf(node) {
  return node.nodeType === Node.ELEMENT_NODE ? node.getAttribute("data-key") : null;
}

function isAlike(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
}

function patchChildren(parent, wanted) {
  const keyed = new Map([...parent.childNodes].filter(keyOf).map((node) => [keyOf(node), node]));
  let at = parent.firstChild;
  for (const node of wanted) {
    const old = keyOf(node) ? keyed.get(keyOf(node)) : at;
    if (old && isAlike(old, node)) {
      if (old === at) at = at.nextSibling;
      else parent.insertBefore(old, at);
      patchNode(old, node);
    } else {
      const replaced = at && !keyOf(at) && !keyOf(node) ? at : null;
      parent.insertBefore(grown(node), at);
      if (replaced) {
        at = replaced.nextSibling;
        replaced.remove();
      }
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function patchNode(old, node) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue;
    return;
  }
  patchAttributes(old, node);
  for (const [type, handler] of Object.entries(handlers.get(node) ?? {})) handle(old, type, handler);
  // Another function fills it.
  if (old.hasAttribute("data-keep")) return;
  if (builders.has(node)) {
    if (builders.get(node).value === builtOf.get(old)) return;
    build(node);
    builtOf.set(old, builtOf.get(node));
  }
  patchChildren(old, [...node.childNodes]);
}

// The reader has unfolded, typed or chosen something. That stays until the page itself has another value than before.
function patchAttributes(old, node) {
  for (const {name, value} of [...node.attributes]) {
    if (name === "open" || old.getAttribute(name) === value) continue;
    old.setAttribute(name, value);
    // Setting even the same value would interrupt the typing of a date.
    if (name === "value" && old.value !== value) old.value = value;
    if (name === "checked" || name === "selected") old[name] = true;
  }
  for (const {name} of [...old.attributes]) {
    if (name === "open" || node.hasAttribute(name)) continue;
    old.removeAttribute(name);
    if (name === "checked" || name === "selected") old[name] = false;
  }
}

function build(element) {
  const {value, builder} = builders.get(element);
  builders.delete(element);
  element.removeAttribute("data-later");
  element.append(...nodes([builder()]));
  builtOf.set(element, value);
}

// Builds what `later()` has postponed in a node that is put into the page for the first time.
function grown(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return node;
  for (const element of [node, ...node.querySelectorAll("[data-later]")]) if (builders.has(element)) build(element);
  return node;
}
