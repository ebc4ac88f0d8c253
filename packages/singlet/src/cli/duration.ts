import { UsageError } from './usage-error.ts';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a time such as `1s`, `15m`, `7d`. @returns milliseconds. @throws {UsageError} */
export function durationOf(text: string, flag: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,8})(ms|s|m|h|d)$/.exec(text) ?? [];
  const factor = unitMs[unit];
  if (factor === undefined) {
    throw new UsageError(`${flag} takes a time such as 500ms, 1s, 15m, 12h or 7d, not ${JSON.stringify(text)}.`);
  }
  return Number(count) * factor;
}
