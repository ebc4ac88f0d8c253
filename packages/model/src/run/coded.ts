import { type Coding, codingOf } from '../entities/codec.ts';
import { InputError } from '../model-error.ts';
import type { Need, WriteNeed } from '../patterns/need.ts';
import type { PageOptions } from '../patterns/signature.ts';
import type { EntityInfo, PatternInfo, ResolvedModel } from '../resolve/resolved.ts';
import type { BuiltRequest } from './context.ts';
import type { Values } from './item-codec.ts';
import { RuleError, type RuleFailure } from './rule-error.ts';
import type { Runner } from './runner.ts';

/** The direction: to stored values, or from them. */
type Turn = 'encode' | 'decode';

/** The runner of a pattern for values in the application's form: the given one if none has another form. */
export function coded(resolved: ResolvedModel, pattern: PatternInfo, runner: Runner): Runner {
  const { need } = pattern;
  const schemas = [
    ...[...resolved.entities.values()].flatMap(({ attributes }) =>
      [...attributes.values()].map(({ schema }) => schema),
    ),
    ...Object.values(need.transacts ?? [need]).flatMap(({ takes = {} }: WriteNeed) => Object.values(takes)),
  ];
  return schemas.some((schema) => codingOf(schema)) ? new CodedRunner(resolved, pattern, runner) : runner;
}

/** Runs a pattern whose attributes have another form in the application: everything inside uses only the stored form (decision 0093). */
class CodedRunner implements Runner {
  readonly #resolved: ResolvedModel;
  readonly #pattern: PatternInfo;
  readonly #runner: Runner;

  constructor(resolved: ResolvedModel, pattern: PatternInfo, runner: Runner) {
    this.#resolved = resolved;
    this.#pattern = pattern;
    this.#runner = runner;
  }

  request(input: Values, options?: PageOptions): readonly BuiltRequest[] {
    return this.#runner.request(this.#stored(input), options);
  }

  async run(input: Values, options?: PageOptions): Promise<unknown> {
    try {
      const result = await this.#runner.run(this.#stored(input), options);
      return turnedResult('decode', this.#resolved, this.#pattern.need, result);
    } catch (error) {
      throw decodedError(this.#resolved, this.#pattern.name, error);
    }
  }

  #stored(input: Values): Values {
    return turnedInput('encode', this.#resolved, this.#pattern.need, input) as Values;
  }
}

/** The input of a pattern with each value in the other form. For a transaction, by part; for several items, in their order. */
export function turnedInput(turn: Turn, resolved: ResolvedModel, need: Need, input: unknown): unknown {
  const { transacts } = need;
  if (transacts === undefined) return each(input, (one) => turnedValues(turn, resolved, need, one));
  return mapped(input as Values, (part, own) => {
    const write = transacts[part];
    return write === undefined ? own : each(own, (one) => turnedValues(turn, resolved, write, one));
  });
}

/** The result of a pattern with each item in the other form. */
export function turnedResult(turn: Turn, { entities }: ResolvedModel, need: Need, result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result;
  const { reads } = need;
  const items = (name: unknown, own: unknown): unknown => {
    const entity = entities.get(String(name));
    return entity === undefined ? own : each(own, (one) => turnedItem(turn, entity, one));
  };
  if (reads === undefined || typeof reads === 'string') return items(targetsOf(need)[0], result);
  return mapped(result as Values, (part, own) => {
    if (Array.isArray(reads)) return part === 'items' ? items(reads[0], own) : own;
    const target = (reads as Readonly<Record<string, string | readonly string[]>>)[part];
    return target === undefined ? own : items([target].flat()[0], own);
  });
}

/** An item with each of its attributes in the other form. */
export function turnedItem(turn: Turn, { attributes }: EntityInfo, item: Values): Values {
  return mapped(item, (name, value) => {
    const attribute = attributes.get(name);
    return attribute === undefined ? value : turned(turn, name, codingOf(attribute.schema), value);
  });
}

/** A rejection, whose items have the application's form. */
export function decodedError({ entities }: ResolvedModel, name: string, error: unknown): unknown {
  if (!(error instanceof RuleError)) return error;
  const [first, ...rest] = error.failures.map((failure): RuleFailure => {
    const entity = entities.get(failure.entity);
    return failure.item === undefined || entity === undefined
      ? failure
      : { ...failure, item: turnedItem('decode', entity, failure.item) };
  });
  return first === undefined ? error : new RuleError(name, [first, ...rest], error.cause);
}

function turnedValues(turn: Turn, resolved: ResolvedModel, need: Need, input: Values): Values {
  return mapped(input, (name, value) => {
    const coding = inputCoding(resolved, need, name);
    if (coding === undefined) return value;
    const one = (own: unknown): unknown => turned(turn, name, coding, own);
    if (need.among?.[name] !== undefined) return (value as readonly unknown[]).map(one);
    if (need.range !== name || value === undefined) return one(value);
    // A prefix of text is in the stored form.
    return mapped(value as Values, (end, bound) => (end === 'begins' ? bound : one(bound)));
  });
}

/** The codec of the attribute that an input represents, or of the input itself. */
function inputCoding({ entities }: ResolvedModel, need: Need, name: string): Coding | undefined {
  const taken = need.takes?.[name];
  if (taken !== undefined) return codingOf(taken);
  const [attribute = name] = [need.aka?.[name] ?? name].flat();
  for (const target of targetsOf(need)) {
    const schema = entities.get(target)?.attributes.get(attribute)?.schema;
    if (schema !== undefined) return codingOf(schema);
  }
  return undefined;
}

/** The entities that a pattern reads or writes. */
function targetsOf(need: Pick<Need, 'reads'> & WriteNeed): readonly string[] {
  const { reads, creates, puts, upserts, updates, deletes, checks } = need;
  const target = reads ?? creates ?? puts ?? upserts ?? updates ?? deletes ?? checks ?? [];
  return typeof target === 'string' ? [target] : Object.values(target as object).flat();
}

function turned(turn: Turn, name: string, coding: Coding | undefined, value: unknown): unknown {
  if (coding === undefined || value === undefined || value === null) return value;
  try {
    return coding[turn](value);
  } catch (error) {
    throw new InputError('invalid', name, error instanceof Error ? error.message : String(error));
  }
}

function each(value: unknown, change: (one: Values) => Values): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => each(one, change));
  return typeof value === 'object' && value !== null ? change(value as Values) : value;
}

function mapped(values: Values, change: (name: string, value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)]));
}
