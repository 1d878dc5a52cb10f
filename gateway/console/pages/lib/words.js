// Every text of the page, in the language that was chosen. A text is found by its key; one that counts has its plural
// forms, of which Intl.PluralRules chooses.

import {h} from "./dom.js";
import {remember, remembered} from "./preferences.js";

export const languages = ["pt-BR", "en"];

let words = {};
let rules = new Intl.PluralRules("pt-BR");
export let language = "pt-BR";

// Portuguese, unless the reader chose English once or the browser names English before Portuguese.
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

// The text with its {placeholders} filled in. A key that is missing shows itself: that is a defect, and the least
// misleading thing to show.
export function t(key, values = {}) {
  return pieces(key, values).join("");
}

// The same as a list of nodes, each value apart from the sentence around it: what comes from elsewhere may be written
// from right to left.
export function say(key, values = {}) {
  return pieces(key, values, (value) => (value instanceof Node ? value : h("bdi", value)));
}

// The word for a code of the gateway's, or the code itself where a later gateway has one that this page does not know.
export function word(group, code) {
  const key = `${group}.${code}`;
  return has(key) ? t(key) : String(code);
}

// The codes that have a word in the group, such as the families, in the order of the words.
export function codes(group) {
  return Object.keys(words)
    .filter((key) => key.startsWith(`${group}.`))
    .map((key) => key.slice(group.length + 1));
}

// Portuguese counts nothing as one ("0 venda"), which nobody says: a text may have a form of its own for it.
function formFor(forms, count) {
  if (count === 0 && forms.none) return forms.none;
  return forms[rules.select(count)] ?? forms.other;
}

function pieces(key, values, shown = String) {
  const entry = has(key) ? words[key] : key;
  const text = typeof entry === "string" ? entry : formFor(entry, values.count);
  return text.split(/\{(\w+)\}/).map((piece, index) => (index % 2 === 0 ? piece : shown(values[piece] ?? "")));
}
