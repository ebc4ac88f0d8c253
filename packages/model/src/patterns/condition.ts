import { InputError } from '../model-error.ts';
import type { AttributeReference, Condition, Guard, InputReference } from './value.ts';

/** Values by attribute: an item's, or a pattern's input. */
export type Values = Readonly<Record<string, unknown>>;

/** The attributes that a condition fixes to one value. */
export function constantsOf(condition: Condition | undefined): Record<string, string | number | boolean> {
  const fixed = Object.entries(condition ?? {}).filter(([, test]) => typeof test !== 'object');
  return Object.fromEntries(fixed) as Record<string, string | number | boolean>;
}

/** Whether all values that meet one test of a key's condition meet the other: `'OPEN'` and `['OPEN', 'PAID']`. False if in doubt. */
export function implies(known: unknown, asked: unknown): boolean {
  if (JSON.stringify(known) === JSON.stringify(asked)) return true;
  if (typeof known === 'object' && !Array.isArray(known)) return false;
  const values = [asked].flat();
  return [known].flat().every((value) => values.includes(value));
}

/** Attributes that a condition tests. */
export function testedAttributes(condition: Guard | undefined): string[] {
  if (condition === undefined) return [];
  const alternatives = (condition as { any?: readonly Guard[] }).any;
  if (Array.isArray(alternatives)) return alternatives.flatMap(testedAttributes);
  return topLevel(condition);
}

/** The attributes that paths begin with. */
export function topLevel(paths: object): string[] {
  return Object.keys(paths).map((path) => path.split(/[.[]/)[0] ?? path);
}

/** The input of that name, which is required. */
export function inputNamed(input: Values, name: string): unknown {
  const value = input[name];
  if (value === undefined) throw new InputError('missing-input', name, 'is needed and missing');
  return value;
}

/** Whether a value refers to an input. */
export function isReference(value: unknown): value is InputReference {
  return typeof value === 'object' && value !== null && 'ref' in value;
}

/** Whether a value refers to another attribute of the item. */
export function isAttribute(value: unknown): value is AttributeReference {
  return typeof value === 'object' && value !== null && 'attribute' in value;
}

/** Whether a test compares with constants alone: what other attributes are is not known, and the condition of a key has no inputs. */
export function isOfConstants(test: unknown): boolean {
  if (typeof test !== 'object' || test === null) return true;
  return !isReference(test) && !isAttribute(test) && Object.values(test).every(isOfConstants);
}
