// Who is signed in, and what the gateway said of itself and of the store then.

import {get, post, remove} from "./api.js";
import {useZone} from "./format.js";

export let session = null;

export const maySettle = () => session?.role === "settle";

export async function findSession() {
  return begin(await get("/console/session"));
}

// With a name and a password, or with the secret of a link.
export async function signIn(credentials) {
  return begin(await post("/console/session", credentials));
}

// The page forgets the session whatever the gateway answers.
export async function signOut() {
  session = null;
  await remove("/console/session").catch(() => null);
}

export function forgetSession() {
  session = null;
}

function begin(found) {
  session = found;
  useZone(found.store.timezone);
  return found;
}
