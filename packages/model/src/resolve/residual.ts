import { shardsOf, type TemplateVariable } from '../keys/template.ts';
import type { Need } from '../patterns/need.ts';
import type { Condition } from '../patterns/value.ts';
import type { EntityInfo, KeySlot, ReadPart, Residual } from './resolved.ts';

/**
 * What a pattern requires of the items of one part and its key does not settle. The key or this residual filter settles every input,
 * constant and test, so that none is ever dropped.
 *
 * @param settled - whether every item that is read has the value of an attribute, because the attribute is in the known part of the key.
 * @param sparse - whether the condition of each form that is read implies a test.
 */
export function residualOf(
  need: Need,
  part: ReadPart,
  settled: (name: string) => boolean,
  sparse: (name: string, test: unknown) => boolean = () => false,
): Residual[] {
  const { attributes } = part.entity;
  const tests: Condition[] = [];
  for (const [input, names] of need.unproven && part.many ? [] : inputsOf(need)) {
    const own = names.filter((name) => attributes.has(name));
    if (own.length === 0 || own.some(settled)) continue;
    const equal = own.map((name) => ({ [name]: { ref: input } }));
    tests.push(equal.length === 1 && equal[0] !== undefined ? equal[0] : { any: equal });
  }
  // The key identifies the one item that leads a collection; constants and tests concern the many.
  if (need.where !== undefined && (part.many || part.name === undefined || !readsMany(need))) {
    const inputs = new Set(inputsOf(need).flatMap(([, names]) => names));
    for (const [name, test] of Object.entries(need.where)) {
      const known = typeof test !== 'object' && settled(name) && !inputs.has(name);
      if (!known && !sparse(name, test)) tests.push({ [name]: test });
    }
  }
  return tests.length === 0 ? [] : [{ part, tests }];
}

/** Inputs by name with the attributes that each may equal. */
function inputsOf({ by = [], aka = {} }: Need): [string, readonly string[]][] {
  const names = new Set([...by, ...Object.keys(aka)]);
  return [...names].map((input) => [input, [aka[input] ?? input].flat()]);
}

function readsMany({ reads }: Need): boolean {
  return Object.values<unknown>(Object(reads)).some(Array.isArray);
}

/**
 * The attributes whose values can be derived from known key attributes: the end of their text is known, and it has only one value.
 *
 * @param end - how many parts of each template are known; all of them by default.
 */
export function settledBy(slots: readonly KeySlot[], { table }: EntityInfo, end?: number): string[] {
  const settled: string[] = [];
  for (const { template, type } of slots) {
    template.parts.slice(0, end).forEach((part, i) => {
      if (typeof part === 'string') return;
      const next = template.parts[i + 1];
      const ends = next === undefined ? true : typeof next === 'string' ? endsAt(part, next, table.separator) : false;
      // A shard has many values.
      if (!shardsOf(part) && (type !== 'S' || ends || hasWidth(part))) settled.push(part.name);
    });
  }
  return settled;
}

/** The text cannot contain the character that follows it. */
function endsAt({ encoders }: TemplateVariable, next: string, separator: string): boolean {
  return next.startsWith(separator) && !encoders.some(({ rest }) => rest === true);
}

function hasWidth({ encoders }: TemplateVariable): boolean {
  return encoders.some(({ most }) => most);
}
