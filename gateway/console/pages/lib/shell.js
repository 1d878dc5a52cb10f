// Draws what surrounds every page: the navigation, the sign of what is live, language, light and dark, and the way out.

import {h, patch} from "./dom.js";
import {icon} from "./icons.js";
import {moment, number} from "./format.js";
import {live} from "./live.js";
import {brand, letterhead} from "./looks.js";
import {href} from "./route.js";
import {session} from "./session.js";
import {languageButtons, themeButton} from "./switches.js";
import {t} from "./words.js";

const places = ["today", "attention", "sales", "close", "reconcile", "terminals", "health", "help"];
// In the navigation, the page of a sale belongs to the sales.
const placeOf = (name) => (name === "sale" ? "sales" : name);

export class Shell {
  #app = document.getElementById("app");
  #isMenuOpen = false;
  #route = {name: "today"};
  attentionCount = 0;

  constructor({chooseLanguage, leave}) {
    this.chooseLanguage = chooseLanguage;
    this.leave = leave;
    live.addEventListener("state", () => this.redraw());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.#isMenuOpen && this.#toggleMenu());
  }

  // Returns the element in which a page is drawn.
  get main() {
    return document.getElementById("main");
  }

  show(route) {
    this.#route = route;
    this.#isMenuOpen = false;
    this.redraw();
  }

  redraw() {
    if (!session) return;
    patch(
      this.#app,
      h(
        "div.shell",
        {"data-key": "shell"},
        this.#skip(),
        this.#head(),
        this.#navigation(),
        letterhead(),
        h("main", {id: "main", "data-keep": true}),
      ),
    );
  }

  #skip() {
    const jump = (event) => {
      event.preventDefault();
      this.main.querySelector("h1")?.focus();
    };
    return h("a.skip", {href: "#main", click: jump}, t("shell.skip"));
  }

  #head() {
    return h(
      "header.head",
      h(
        "button.menu",
        {
          type: "button",
          click: () => this.#toggleMenu(),
          "aria-expanded": String(this.#isMenuOpen),
          "aria-controls": "navigation",
          "aria-label": t("shell.menu"),
        },
        icon("menu"),
        this.attentionCount > 0 && h("span.dot"),
      ),
      h("a.brand", {href: href("today")}, brand(24)),
      h("div.head-right", liveSign()),
    );
  }

  #navigation() {
    return h(
      "nav.navigation",
      {id: "navigation", "aria-label": t("shell.navigation"), class: this.#isMenuOpen && "open"},
      h(
        "ul",
        places.map((name) =>
          h(
            "li",
            h(
              "a",
              {
                href: href(name),
                "aria-current": placeOf(this.#route.name) === name && "page",
                click: () => this.#isMenuOpen && this.#toggleMenu(),
              },
              icon(name),
              h("span", t(`page.${name}`)),
              name === "attention" && this.#count(),
            ),
          ),
        ),
      ),
      h("div.navigation-end", this.#person(), this.#switches()),
    );
  }

  #count() {
    if (this.attentionCount === 0) return null;
    return h(
      "span.count",
      {"aria-label": t("shell.attention", {count: this.attentionCount})},
      number(this.attentionCount),
    );
  }

  #person() {
    return h("p.person", h("bdi.strong", session.name), h("br"), h("span.faint", t(`role.${session.role}`)));
  }

  #switches() {
    return h(
      "div.switches",
      languageButtons(this.chooseLanguage),
      themeButton(() => this.redraw()),
      h("button.quiet", {type: "button", click: this.leave}, icon("leave"), t("shell.leave")),
      h("p.faint.small", t("shell.version", {version: session.version})),
    );
  }

  #toggleMenu() {
    this.#isMenuOpen = !this.#isMenuOpen;
    this.redraw();
  }
}

function liveSign() {
  const words = live.state === "lost" ? t("live.lost", {time: moment(live.since)}) : t(`live.${live.state}`);
  return h("p.live", {class: live.state, role: "status"}, h("span.live-dot", {"aria-hidden": "true"}), words);
}
