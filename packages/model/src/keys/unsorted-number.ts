import { compareText } from '../patterns/evaluate.ts';
import type { Domain } from './domain.ts';

/** Why the texts of a number do not sort as the number does. */
export function unsortedNumber(name: string, { number, values }: Pick<Domain, 'number' | 'values'>): string {
  const few = (values ?? []).filter((value) => typeof value === 'number').toSorted((a, b) => a - b);
  for (const [at, less] of few.entries()) {
    const more = few.slice(at + 1).find((value) => compareText(String(value), String(less)) < 0);
    if (more !== undefined) return `${name} may be ${less} and ${more}: ${more} comes before ${less}`;
  }
  const { least = -Infinity, most = Infinity, whole = false } = number ?? {};
  if (least < 0 && least > Number.MIN_SAFE_INTEGER) return `${name} may be negative: -1 comes before -2`;
  const [digits, digitsMost] = [String(least).length, String(most).length];
  if (!whole || least < 0 || most > Number.MAX_SAFE_INTEGER || digits === digitsMost)
    return `${name} is a number of any width: 10 comes before 9`;
  return `${name} has ${digits} to ${digitsMost} digits: ${10 ** digits} comes before ${10 ** digits - 1}`;
}
