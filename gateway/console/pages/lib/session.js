// Knows who is signed in, and what the gateway said then about itself and the store.

import {get, post, remove} from "./api.js";
import {useZone} from "./format.js";

export let session = null;

export const maySettle = () => session?.role === "settle";

export async function findSession() {
  return begin(await get("/console/session"));
}

// Tells whether the gateway does not know yet that a person has signed out.
export let isSignOutOwed = false;

// Signs in with a name and a password, or with the secret of a link.
export async function signIn(credentials) {
  // A sign-out that is still owed would end the session that begins here.
  if (isSignOutOwed) await signOut();
  return begin(await post("/console/session", credentials));
}

// The page forgets the session at once. Returns whether the gateway has ended it.
export async function signOut() {
  session = null;
  isSignOutOwed = true;
  await remove("/console/session").then(
    () => (isSignOutOwed = false),
    () => null,
  );
  return !isSignOutOwed;
}

// Tells whether the session has ended at the gateway. Asking does not put that off.
export async function hasEnded() {
  const problem = await get("/console/session").catch((failure) => failure);
  return problem.code === "unauthorized";
}

export function forgetSession() {
  session = null;
}

function begin(found) {
  session = found;
  useZone(found.store.timezone);
  return found;
}
