import { after } from '../check/text-pattern.ts';
import { domainOf, type NumberDomain } from '../keys/domain.ts';
import { isOfConstants, testedAttributes } from '../patterns/condition.ts';
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
 * values of an enumeration, otherwise one of each part that the conditions tell apart.
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

/**
 * Any choice, if the possible choices are unknown. Of many forms no more than two are chosen, or all: what comes between the forms of a choice
 * comes between two of them.
 */
function subsets(bounds: readonly SortBound[]): Case[] {
  const free = bounds.filter(({ picks }) => picks !== undefined);
  const choices =
    free.length <= freeMost
      ? Array.from({ length: 2 ** free.length }, (_, mask) => free.filter((_each, at) => (mask & (1 << at)) !== 0))
      : [[], ...free.flatMap((one, at) => [[one], ...free.slice(at + 1).map((other) => [one, other])]), free];
  return choices.map((chosen, at) => ({
    when: `choice ${at}`,
    forms: bounds.filter((bound) => bound.picks === undefined || chosen.includes(bound)),
  }));
}

/** Maximum forms of which all choices are examined. */
const freeMost = 8;

const plainTests = new Set(['exists', 'equals', 'not', 'atLeast', 'atMost', 'above', 'below', 'begins']);

function isPlain(picks: Condition | undefined): boolean {
  return Object.entries(picks ?? {}).every(
    ([path, test]) =>
      isOfConstants(test) &&
      /^\w+$/.test(path) &&
      path !== 'any' &&
      (typeof test !== 'object' || Array.isArray(test) || Object.keys(test).every((kind) => plainTests.has(kind))),
  );
}

/**
 * A value of each part of an attribute's values that the conditions tell apart: those in the conditions, and one between each two of them. At
 * least one of every part that the schema yields, perhaps some that it does not.
 */
function valuesOf(name: string, picked: readonly SortBound[]): unknown[] {
  const domains = picked.flatMap(({ part }) => {
    const info = part.entity.attributes.get(name);
    return info === undefined ? [] : [domainOf(info.schema)];
  });
  const values = new Set(domains.flatMap((domain) => domain.values ?? []));
  const open = domains.filter((domain) => domain.values === undefined);
  if (domains.length > 0 && open.length === 0) return [...values];
  const tests = picked.map(({ picks }) => (picks as Readonly<Record<string, unknown>> | undefined)?.[name]);
  const constants = tests.flatMap((test): unknown[] => {
    if (Array.isArray(test)) return test as unknown[];
    return typeof test === 'object' && test !== null ? Object.values(test) : test === undefined ? [] : [test];
  });
  const isAnything = domains.length === 0 || open.some(({ other }) => other);
  const numbers = open.flatMap(({ number }) => number ?? []);
  const beginnings = tests.flatMap((test) =>
    typeof test === 'object' && test !== null && 'begins' in test ? [String(test.begins)] : [],
  );
  return [
    ...values,
    ...(isAnything ? numbersBetween(constants, [anyNumber]) : []),
    ...(!isAnything && numbers.length > 0 ? numbersBetween(constants, numbers) : []),
    ...(isAnything || open.some(({ text }) => text !== undefined) ? textsBetween(constants, beginnings) : []),
    ...(isAnything ? new Set(constants.filter((value) => typeof value === 'boolean')) : []),
  ];
}

const anyNumber: NumberDomain = { least: -Infinity, most: Infinity, whole: false };

function numbersBetween(constants: readonly unknown[], domains: readonly NumberDomain[]): number[] {
  const least = Math.min(...domains.map((domain) => domain.least));
  const most = Math.max(...domains.map((domain) => domain.most));
  const whole = domains.every((domain) => domain.whole);
  const isIn = (value: number): boolean =>
    Number.isFinite(value) && value >= least && value <= most && (!whole || Number.isInteger(value));
  const ends = [...constants.filter((value) => typeof value === 'number'), least, most].filter(Number.isFinite);
  const sorted = [...new Set(ends)].sort((a, b) => a - b);
  const [first = 0, last = 0] = [sorted[0], sorted.at(-1)];
  const between = sorted.slice(1).map((value, i) => (value + (sorted[i] ?? value)) / 2);
  // Between two whole numbers, the next one is as good as any.
  const beside = whole ? sorted.flatMap((value) => [value - 1, value + 1]) : between;
  return [...new Set([first - 1, ...sorted, ...beside, last + 1])].filter(isIn);
}

/** The texts that begin with another one are those from it to the next text that does not. */
function textsBetween(constants: readonly unknown[], beginnings: readonly string[]): string[] {
  const ends = [
    ...constants.filter((value) => typeof value === 'string'),
    ...beginnings.flatMap((each) => after(each) ?? []),
  ];
  return [...new Set(['', ...ends.flatMap((text) => [text, `${text}\0`]), '\u{10fffd}'])];
}
