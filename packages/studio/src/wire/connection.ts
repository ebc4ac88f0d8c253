// Whether the server answers, as the last request of any view found it.

let isLost = false;
let isUnsigned = false;
let signedInAs: string | undefined;
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

export function noteAnswer(hasAnswered: boolean): void {
  if (isLost === !hasAnswered) return;
  isLost = !hasAnswered;
  tell();
}

/** Notes the name of an error: a server with `--auth` refuses what is not signed. */
export function noteRefusal(name: string): void {
  if (isUnsigned || name !== 'MissingAuthenticationTokenException') return;
  isUnsigned = true;
  tell();
}

/** Notes the access key with which requests are signed from now on. */
export function noteCaller(accessKeyId: string): void {
  signedInAs = accessKeyId;
  isUnsigned = false;
  tell();
}

/** The access key with which requests are signed. */
export function callerOfPage(): string | undefined {
  return signedInAs;
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
