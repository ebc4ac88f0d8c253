import { domainOf } from '../keys/domain.ts';
import { testedAttributes } from '../patterns/condition.ts';
import { holds } from '../patterns/evaluate.ts';
import type { Condition } from '../patterns/value.ts';
import type { SortBound } from '../resolve/resolved.ts';

/** The forms of keys that are read for some inputs. */
export interface Case {
  /** The inputs that choose them; empty if no input does. */
  readonly when: string;
  readonly forms: readonly SortBound[];
}

/** Maximum combinations of inputs that are examined. */
const combinationsMax = 4096;

/**
 * The choices of forms that inputs can make. Values that no condition distinguishes make the same choice, so that few are tried: the
 * values of an enumeration; otherwise those in the conditions, their neighbours, and one that is in no condition.
 */
export function casesOf(bounds: readonly SortBound[]): Case[] {
  const picked = bounds.filter(({ picks }) => picks !== undefined);
  if (picked.length === 0) return [{ when: '', forms: bounds }];
  if (picked.some(({ picks }) => !isPlain(picks))) return subsets(bounds);
  const names = [...new Set(picked.flatMap(({ picks }) => testedAttributes(picks)))];
  let inputs: Readonly<Record<string, unknown>>[] = [{}];
  for (const name of names) {
    const values = valuesOf(name, picked);
    inputs = inputs.flatMap((input) => values.map((value) => ({ ...input, [name]: value })));
    if (inputs.length > combinationsMax) return subsets(bounds);
  }
  const found = new Map<string, Case>();
  for (const input of inputs) {
    const forms = bounds.filter(({ picks }) => picks === undefined || holds(picks, input));
    const id = forms.map((form) => bounds.indexOf(form)).join();
    if (!found.has(id)) found.set(id, { when: JSON.stringify(input), forms });
  }
  return [...found.values()];
}

/** Any choice, if the possible choices are unknown. */
function subsets(bounds: readonly SortBound[]): Case[] {
  const free = bounds.filter(({ picks }) => picks !== undefined).slice(0, 8);
  return Array.from({ length: 2 ** free.length }, (_, mask) => ({
    when: `choice ${mask}`,
    forms: bounds.filter((bound) => !free.includes(bound) || (mask & (1 << free.indexOf(bound))) !== 0),
  }));
}

const plainTests = new Set(['exists', 'equals', 'not', 'atLeast', 'atMost', 'above', 'below']);

function isPlain(picks: Condition | undefined): boolean {
  return Object.entries(picks ?? {}).every(
    ([path, test]) =>
      !JSON.stringify(test).includes('"ref":') &&
      /^\w+$/.test(path) &&
      path !== 'any' &&
      (typeof test !== 'object' || Array.isArray(test) || Object.keys(test).every((kind) => plainTests.has(kind))),
  );
}

function valuesOf(name: string, picked: readonly SortBound[]): unknown[] {
  const schemas = picked.flatMap(({ part }) => part.entity.attributes.get(name)?.schema ?? []);
  const [schema] = schemas;
  const finite = schema === undefined ? undefined : domainOf(schema).values;
  if (finite !== undefined) return [...finite];
  const tests = picked.map(({ picks }) => (picks as Readonly<Record<string, unknown>> | undefined)?.[name]);
  const constants = tests.flatMap((test): unknown[] => {
    if (Array.isArray(test)) return test as unknown[];
    return typeof test === 'object' && test !== null ? Object.values(test) : test === undefined ? [] : [test];
  });
  return [
    ...new Set(
      constants
        .filter((value) => typeof value !== 'boolean')
        .flatMap((value) =>
          typeof value === 'number'
            ? [value - 1, value, value + 1, value + 0.5, value - 0.5]
            : [value, `${String(value)}\0`],
        )
        .concat(constants.filter((value) => typeof value === 'boolean'))
        .concat(['\u{10fffd}', '']),
    ),
  ];
}
