// Whether the server answers, as the last request of any view found it.

let isLost = false;
let isUnsigned = false;
const listeners = new Set<() => void>();

export function noteAnswer(hasAnswered: boolean): void {
  if (isLost === !hasAnswered) return;
  isLost = !hasAnswered;
  for (const listener of listeners) listener();
}

/** Notes the name of an error: a server with `--auth` refuses what is not signed. */
export function noteRefusal(name: string): void {
  if (isUnsigned || name !== 'MissingAuthenticationTokenException') return;
  isUnsigned = true;
  for (const listener of listeners) listener();
}

/** Whether the server has refused a request because it was not signed. */
export function isSignatureMissing(): boolean {
  return isUnsigned;
}

export function isConnectionLost(): boolean {
  return isLost;
}

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
