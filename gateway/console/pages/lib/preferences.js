// Remembers what the reader has chosen in this browser: the language, and light or dark. Where the browser stores
// nothing, the choice lasts until the page is closed.

const kept = new Map();
const darkSystem = matchMedia("(prefers-color-scheme: dark)");

export function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return kept.get(name) ?? null;
  }
}

export function remember(name, value) {
  kept.set(name, value);
  try {
    localStorage.setItem(name, value);
  } catch {
    // Where the browser is set to store nothing, the choice is still kept in memory.
  }
}

export function isDark() {
  const chosen = remembered("theme");
  return chosen ? chosen === "dark" : darkSystem.matches;
}

export function applyTheme() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
}

export function switchTheme() {
  remember("theme", isDark() ? "light" : "dark");
  applyTheme();
}

darkSystem.addEventListener("change", applyTheme);
