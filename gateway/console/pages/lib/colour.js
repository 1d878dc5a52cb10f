// Dresses the pages in the store's colour. Whatever it is, text keeps a contrast of 4.5 to 1 in both themes (WCAG 2.2,
// 1.4.3).

const least = 4.5;
const [white, black] = ["#ffffff", "#000000"];

// In the light theme no ground that text stands on is darker than the edge, in the dark theme none is lighter: see
// style.css.
const themes = {
  light: {surface: "#ffffff", edge: "#e6e6e6", away: black, washed: 0.9},
  dark: {surface: "#161b20", edge: "#2b3440", away: white, washed: 0.82},
};

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

// `colour` is "#rrggbb".
export function wear(colour) {
  document.documentElement.dataset.colour = colour;
  const rule = (theme) =>
    Object.entries(shades(colour, theme))
      .map(([name, shade]) => `--${name}: ${shade};`)
      .join(" ");
  sheet.replaceSync(`:root { ${rule("light")} } @media screen { :root[data-theme="dark"] { ${rule("dark")} } }`);
}

// Returns the colours of a theme that follow from the store's.
export function shades(colour, theme) {
  const {surface, edge, away, washed} = themes[theme];
  const wash = (accent) => mix(accent, surface, washed);
  const isRead = (shade) => [edge, wash(shade)].every((ground) => contrast(shade, ground) >= least);
  const accent = moved(colour, away, isRead);
  // At night a light band would dazzle.
  const brand = theme === "dark" ? moved(colour, black, (shade) => contrast(shade, white) >= least) : colour;
  return {
    brand,
    "brand-ink": inkOn(brand),
    accent,
    "accent-ink": inkOn(accent),
    "accent-wash": wash(accent),
    bar: mix(accent, surface, 0.2),
  };
}

// On every colour, black or white has a contrast of at least 4.58.
export function inkOn(colour) {
  return contrast(colour, white) >= contrast(colour, black) ? white : black;
}

export function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour) {
  const [red, green, blue] = channels(colour).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Moves the colour towards another one, by as little as it takes.
function moved(colour, towards, isGood) {
  for (let share = 0; share < 1; share += 0.02) {
    const shade = mix(colour, towards, share);
    if (isGood(shade)) return shade;
  }
  return towards;
}

// Mixes two colours; `share` is that of the second.
function mix(one, other, share) {
  const others = channels(other);
  const mixed = channels(one).map((channel, index) => Math.round(channel * (1 - share) + others[index] * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
