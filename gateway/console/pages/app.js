// Starts the console: finds or begins a session, then shows the page that the address names.

import {get, network} from "./lib/api.js";
import {closeDialogs} from "./lib/dialog.js";
import {patch} from "./lib/dom.js";
import {IdleWatch} from "./lib/idle.js";
import {live} from "./lib/live.js";
import {consoleName, findLooks} from "./lib/looks.js";
import {applyTheme} from "./lib/preferences.js";
import {readRoute} from "./lib/route.js";
import {Screen} from "./lib/screen.js";
import {findSession, forgetSession, hasEnded, isSignOutOwed, session, signIn, signOut} from "./lib/session.js";
import {Shell} from "./lib/shell.js";
import {chooseLanguage, loadWords, preferredLanguage, t} from "./lib/words.js";
import attention from "./pages/attention.js";
import close from "./pages/close.js";
import health from "./pages/health.js";
import help from "./pages/help.js";
import reconcile from "./pages/reconcile.js";
import sale from "./pages/sale.js";
import sales from "./pages/sales.js";
import {drawSignIn} from "./pages/signin.js";
import terminals from "./pages/terminals.js";
import today from "./pages/today.js";

const pages = {today, attention, sales, sale, close, reconcile, terminals, health, help};
const shell = new Shell({chooseLanguage: changeLanguage, leave});
const idle = new IdleWatch(async () => (await hasEnded()) && sessionEnded());
// Once a person has left, and the gateway was out of reach, the page tells it again after each pause of this length.
const leaveAgainMs = 5_000;
let screen = null;

async function start() {
  applyTheme();
  await Promise.all([loadWords(preferredLanguage()), findLooks()]);
  const secret = takeLink();
  try {
    await (secret ? signIn({link: secret}) : findSession());
    enter();
  } catch (problem) {
    showSignIn(problem.code === "unauthorized" && !secret ? null : problem, secret ? "link" : "");
  }
}

// Takes the secret of a link out of the address at once, so that it stands in no history.
function takeLink() {
  const secret = new URLSearchParams(location.hash.slice(1)).get("link");
  if (secret) history.replaceState(null, "", location.pathname);
  return secret;
}

// A link may be opened in a tab where the console is open already. Then only the fragment of the address changes.
function moved() {
  if (new URLSearchParams(location.hash.slice(1)).has("link")) location.reload();
  else showPage();
}

function enter() {
  live.start();
  idle.start(session.idleMinutes);
  showPage();
  countAttention();
}

function showPage() {
  if (!session) return;
  const route = readRoute();
  const page = Object.hasOwn(pages, route.name) ? pages[route.name] : today;
  closeDialogs();
  if (screen?.follow(page, route)) return;
  // A page that is opened starts at its top, as browsers do. One that was navigated to starts at its heading.
  const isFirst = screen === null;
  screen?.stop();
  shell.show({...route, name: page === today ? "today" : route.name});
  patch(shell.main, []);
  screen = new Screen(page, route, shell.main);
  screen.start();
  titlePage();
  if (!isFirst) shell.main.querySelector("h1").focus({preventScroll: true});
  scrollTo(0, 0);
}

// The tab shows how many cases wait, so that this is seen from another page, too.
function titlePage() {
  const count = shell.attentionCount > 0 ? `(${shell.attentionCount}) ` : "";
  document.title = `${count}${screen.title} · ${consoleName()}`;
}

// Everything is drawn again, because the sentences of the gateway are in the old language.
async function changeLanguage(name) {
  await chooseLanguage(name);
  screen?.stop();
  screen = null;
  if (session) showPage();
  else showSignIn();
}

async function leave() {
  endScreen();
  const isOut = await signOut();
  showSignIn(null, isOut ? "left" : "not_left");
  if (!isOut) leaveAgain();
}

// Tells the gateway again and again that the person has left, until it is reached or a person signs in, which tells it,
// too.
async function leaveAgain() {
  await new Promise((go) => setTimeout(go, leaveAgainMs));
  if (!isSignOutOwed || session) return;
  if (!(await signOut())) leaveAgain();
  else if (!session) showSignIn(null, "left");
}

function endScreen() {
  closeDialogs();
  screen?.stop();
  screen = null;
  live.stop();
  idle.stop();
}

// The address stays as it is, so that a person who signs in again is on the same page as before.
function showSignIn(problem = null, why = "") {
  document.title = `${t("signin.title")} · ${consoleName()}`;
  drawSignIn({
    problem,
    why,
    signIn: async (credentials) => {
      await signIn(credentials);
      enter();
    },
    chooseLanguage: changeLanguage,
  });
}

function sessionEnded() {
  if (!session) return;
  endScreen();
  forgetSession();
  showSignIn(null, idle.isIdle ? "idle" : "ended");
}

// Keeps the number beside "needs you" right on every page.
async function countAttention() {
  const status = await get("/v1/status").catch(() => null);
  if (!status || shell.attentionCount === status.attention.total) return;
  shell.attentionCount = status.attention.total;
  shell.redraw();
  if (screen) titlePage();
}

addEventListener("hashchange", moved);
network.addEventListener("signedout", sessionEnded);
network.addEventListener("wrote", () => session && countAttention());
live.addEventListener("changed", ({detail}) => detail.includes("attention") && session && countAttention());
start();
