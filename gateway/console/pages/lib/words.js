// Has every text of the page in the chosen language. A text is found by its key. A text with a number has plural forms,
// among which Intl.PluralRules chooses.

import {h} from "./dom.js";
import {remember, remembered} from "./preferences.js";

export const languages = ["pt-BR", "en"];

let words = {};
let rules = new Intl.PluralRules("pt-BR");
export let language = "pt-BR";

// Returns Portuguese, unless the reader once chose English or the browser prefers English to Portuguese.
export function preferredLanguage() {
  const chosen = remembered("language");
  if (languages.includes(chosen)) return chosen;
  const first = navigator.languages.find((name) => /^(pt|en)\b/i.test(name)) ?? "";
  return /^en/i.test(first) ? "en" : "pt-BR";
}

export async function loadWords(name) {
  const answer = await fetch(`/words/${name}.json`);
  if (!answer.ok) throw new Error(`${answer.status} /words/${name}.json`);
  words = await answer.json();
  rules = new Intl.PluralRules(name);
  language = name;
  document.documentElement.lang = name;
}

export async function chooseLanguage(name) {
  await loadWords(name);
  remember("language", name);
}

export function has(key) {
  return Object.hasOwn(words, key);
}

// Returns the text with its {placeholders} filled in. A missing key is shown itself: that is a defect, and the key
// misleads least.
export function t(key, values = {}) {
  return pieces(key, values).join("");
}

// Does the same as a list of nodes. Each value is isolated from the sentence around it, because it may be written from
// right to left.
export function say(key, values = {}) {
  return pieces(key, values, (value) => (value instanceof Node ? value : h("bdi", value)));
}

// Returns the word for a code of the gateway's; the code itself where it is of a later gateway that this page does not
// know.
export function word(group, code) {
  const key = `${group}.${code}`;
  return has(key) ? t(key) : String(code);
}

// Returns the codes that have a word in the group, such as the families, in the order of the words.
export function codes(group) {
  return Object.keys(words)
    .filter((key) => key.startsWith(`${group}.`))
    .map((key) => key.slice(group.length + 1));
}

// In Portuguese the plural rules treat zero as one ("0 venda"), which nobody says. So a text may have its own form for
// zero.
function formFor(forms, count) {
  if (count === 0 && forms.none) return forms.none;
  return forms[rules.select(count)] ?? forms.other;
}

function pieces(key, values, shown = String) {
  const entry = has(key) ? words[key] : key;
  const text = typeof entry === "string" ? entry : formFor(entry, values.count);
  return text.split(/\{(\w+)\}/).map((piece, index) => (index % 2 === 0 ? piece : shown(values[piece] ?? "")));
}
