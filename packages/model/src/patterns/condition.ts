import type { Condition } from './value.ts';

/** The attributes that a condition fixes to one value. */
export function constantsOf(condition: Condition | undefined): Record<string, string | number | boolean> {
  const fixed = Object.entries(condition ?? {}).filter(([, test]) => typeof test !== 'object');
  return Object.fromEntries(fixed) as Record<string, string | number | boolean>;
}

/** Whether all values that meet one test meet the other: `'OPEN'` and `['OPEN', 'PAID']`. In doubt they do not. */
export function implies(holds: unknown, asked: unknown): boolean {
  if (typeof holds === 'object' && !Array.isArray(holds)) return JSON.stringify(holds) === JSON.stringify(asked);
  const values = [asked].flat();
  return [holds].flat().every((value) => values.includes(value));
}

/** Attributes that a condition looks at. */
export function testedAttributes(condition: Condition | undefined): string[] {
  if (condition === undefined) return [];
  const alternatives = (condition as { any?: readonly Condition[] }).any;
  if (Array.isArray(alternatives)) return alternatives.flatMap(testedAttributes);
  return topLevel(condition);
}

/** The attributes in which paths begin. */
export function topLevel(paths: object): string[] {
  return Object.keys(paths).map((path) => path.split(/[.[]/)[0] ?? path);
}
