// Formats numbers for display.

const count = new Intl.NumberFormat('en-US');
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const units = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

export function countText(number: number): string {
  return count.format(number);
}

/** `1.2M` */
export function shortCount(number: number): string {
  return short.format(number);
}

export function plural(number: number, noun: string): string {
  return `${countText(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** Binary sizes, as the service counts: `3.1 KB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${units.format(bytes / 1024)} KB`;
  if (bytes < 1024 ** 3) return `${units.format(bytes / 1024 ** 2)} MB`;
  return `${units.format(bytes / 1024 ** 3)} GB`;
}

export function unitsText(number: number): string {
  return units.format(number);
}

export function millisecondsText(ms: number): string {
  return ms < 1000 ? `${units.format(ms)} ms` : `${units.format(ms / 1000)} s`;
}

/** The age of what waits: `40 ms`, `12 s`, `5 min`, `2.5 h`. */
export function ageText(ms: number): string {
  if (ms < 60_000) return millisecondsText(ms);
  return ms < 3_600_000 ? `${units.format(ms / 60_000)} min` : `${units.format(ms / 3_600_000)} h`;
}
