import { useEffect, useState } from 'react';

/** The time over which a rate is the average. */
const rateMs = 10_000;
const tickMs = 1_000;

/** The time of the browser, again every second while the page is visible, so that a rate falls when nothing comes. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNowMs(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}

/** Entries of the last ten seconds, the newest first among all. */
export function recent<Entry>(
  entries: readonly Entry[],
  timeMsOf: (entry: Entry) => number,
  nowMs: number,
): readonly Entry[] {
  const end = entries.findIndex((entry) => timeMsOf(entry) < nowMs - rateMs);
  return end < 0 ? entries : entries.slice(0, end);
}

export function perSecond(count: number): number {
  return count / (rateMs / 1_000);
}

/** @param part - 0.5 for the median. @returns 0 for no numbers. */
export function percentile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
