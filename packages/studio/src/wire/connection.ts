// Whether the server answers, as the last request of any view found it.

let isLost = false;
const listeners = new Set<() => void>();

export function noteAnswer(hasAnswered: boolean): void {
  if (isLost === !hasAnswered) return;
  isLost = !hasAnswered;
  for (const listener of listeners) listener();
}

export function isConnectionLost(): boolean {
  return isLost;
}

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
