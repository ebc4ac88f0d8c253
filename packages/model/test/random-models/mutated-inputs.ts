import type { Need } from '../../src/patterns/need.ts';

/** An input that was changed at one place. */
export interface Mutation {
  /** What was changed and how, the same for all inputs of a pattern. */
  readonly name: string;
  readonly input: unknown;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The input of a call, changed at one place each: a member left out, undefined, null, misspelled, or of another type, and one too many.
 *
 * @param literals - the inputs that have a few values only, which also get another text.
 */
export function mutationsOf(literals: ReadonlySet<string>, need: Need, input: unknown): Mutation[] {
  if (Array.isArray(input)) {
    const [first, ...others] = input as Values[];
    const inner = first === undefined ? [] : mutationsOf(literals, need, first);
    return inner.map(({ name, input: one }) => ({ name: `[] ${name}`, input: [one, ...others] }));
  }
  const values = input as Values;
  const names = Object.keys(values);
  const parts = need.transacts === undefined ? [] : names;
  return [
    ...names.flatMap((name) => changesOf(literals, values, name)),
    ...parts.flatMap((part) =>
      mutationsOf(literals, {}, values[part]).map(({ name, input: own }) => ({
        name: `${part}. ${name}`,
        input: { ...values, [part]: own },
      })),
    ),
    { name: 'surplus', input: { ...values, surplus: 'x' } },
  ];
}

function changesOf(literals: ReadonlySet<string>, values: Values, name: string): Mutation[] {
  const { [name]: value, ...others } = values;
  const changes: readonly (readonly [how: string, input: Values])[] = [
    ['left out', others],
    ['undefined', { ...values, [name]: undefined }],
    ['null', { ...values, [name]: null }],
    ['misspelled', { ...others, [`${name}s`]: value }],
    ...otherTypes(value).map((other) => [`is a ${typeof other}`, { ...values, [name]: other }] as const),
    ...(literals.has(name) ? [['is another text', { ...values, [name]: 'LOST' }] as const] : []),
  ];
  return changes.map(([how, input]) => ({ name: `${name} ${how}`, input }));
}

/** Values of other types. What may be missing has no type here. */
function otherTypes(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return ['abc', 7, true, { other: 'abc' }, 7n].filter((other) => typeof other !== typeof value);
}
