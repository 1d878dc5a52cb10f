// Knows whose console this is: the store's name, its CNPJ and its colour, which everybody may see.

import {get} from "./api.js";
import {wear} from "./colour.js";
import {h} from "./dom.js";
import {t} from "./words.js";

// A receipt has no more columns.
const columns = 40;

let looks = {name: "", cnpj: "", colour: ""};

// A page that is not told them works all the same.
export async function findLooks() {
  looks = await get("/console/looks").catch(() => looks);
  if (looks.colour) wear(looks.colour);
}

const cnpj = () => looks.cnpj && t("shell.cnpj", {cnpj: looks.cnpj});

export const consoleName = () => looks.name || t("shell.name");

// Shows the console's sign beside the store's name and CNPJ. The sign of a store with a colour is its first letter.
export function brand(size) {
  const [letter] = looks.name;
  const sign =
    looks.colour && letter
      ? h("span.monogram", {"aria-hidden": "true"}, letter.toUpperCase())
      : h("img", {src: "/icon.svg", alt: "", width: size, height: size});
  return [sign, h("span.brand-text", h("bdi.brand-name", consoleName()), looks.cnpj && h("span.brand-cnpj", cnpj()))];
}

export const isNamed = () => Boolean(looks.name || looks.cnpj);

// Stands at the head of what is printed on A4, and is not seen on the screen.
export function letterhead() {
  if (!isNamed()) return null;
  const name = looks.name && h("p.strong", h("bdi", looks.name));
  return h("div.letterhead", name, looks.cnpj && h("p", cnpj()));
}

// Stands at the head of what is printed on a roll.
export function letterheadLines() {
  return [looks.name, cnpj()].filter(Boolean).map((line) => [...line].slice(0, columns).join(""));
}
