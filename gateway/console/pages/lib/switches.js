// Makes the buttons for the other language and the other theme.

import {h} from "./dom.js";
import {icon} from "./icons.js";
import {isDark, switchTheme} from "./preferences.js";
import {language, languages, t} from "./words.js";

export function languageButtons(choose) {
  const one = (name) =>
    h("button.quiet", {type: "button", lang: name, click: () => choose(name)}, t(`language.${name}`));
  return languages.filter((name) => name !== language).map(one);
}

export function themeButton(redraw) {
  const click = () => {
    switchTheme();
    redraw();
  };
  const [sign, words] = isDark() ? ["sun", "shell.light"] : ["moon", "shell.dark"];
  return h("button.quiet", {type: "button", click}, icon(sign), t(words));
}
