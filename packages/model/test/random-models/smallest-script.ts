import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Counterexample, proveCall, type Values } from '../../src/prove/index.ts';
import { accepted } from '../../src/prove/domain.ts';
import type { StandardSchema } from '../../src/schema/standard-schema.ts';
import { type AttributeScript, modelOf, type ModelScript } from './model-script.ts';
import { nextTablePrefix, refusals } from './prove-script.ts';

/** A wrong answer of an accepted model, as stored in one file of the corpus. */
export interface ScriptCase {
  readonly script: ModelScript;
  readonly items: { readonly [entity: string]: readonly Values[] };
  readonly call: Counterexample['call'];
  readonly now: number;
  readonly kind: Counterexample['kind'];
  readonly message: string;
  readonly expected: readonly string[];
  readonly got: readonly string[];
}

/** The case of a counterexample. */
export function scriptCase(script: ModelScript, found: Counterexample): ScriptCase {
  const { state, call, now, kind, message, expected, got } = found;
  return { script, items: Object.fromEntries(state), call, now, kind, message, expected, got };
}

/** Shrinks a model as long as `check` accepts it and its answer is wrong in the same way. */
export async function smallestScript(found: ScriptCase, client: DynamoDBClient): Promise<ScriptCase> {
  let smallest = found;
  for (let shrunk = true; shrunk;) {
    shrunk = false;
    for (const candidate of candidates(smallest)) {
      const still = await stillWrong(candidate, client);
      if (still?.kind !== smallest.kind) continue;
      smallest = still;
      shrunk = true;
      break;
    }
  }
  return smallest;
}

/** The case with its present answer; undefined if the model is refused or the answer is right. */
export async function stillWrong(given: ScriptCase, client: DynamoDBClient): Promise<ScriptCase | undefined> {
  const model = modelOf(given.script);
  if (refusals(model).length > 0) return undefined;
  const items: Record<string, Values[]> = {};
  for (const [entity, list] of Object.entries(given.items)) {
    const { attributes = {} } = model.entities[entity] ?? {};
    const kept = list.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => name in attributes)));
    const fits = kept.every((item) =>
      Object.entries(attributes).every(
        ([name, schema]) =>
          accepted(schema, item[name]) !== undefined || (item[name] === undefined && mayBeMissing(schema)),
      ),
    );
    if (!fits) return undefined;
    if (entity in model.entities) items[entity] = kept;
  }
  const need = model.patterns['read'] ?? {};
  const inputs = given.call.inputs.map((input) =>
    Object.fromEntries(
      Object.entries(input).filter(
        ([name]) =>
          (need.by ?? []).includes(name) ||
          (need.filters ?? []).includes(name) ||
          need.range === name ||
          name in (need.aka ?? {}) ||
          name in (need.takes ?? {}),
      ),
    ),
  );
  try {
    const wrong = await proveCall(model, {
      client,
      items,
      call: { ...given.call, inputs },
      now: given.now,
      tablePrefix: nextTablePrefix(),
    });
    if (wrong === undefined) return undefined;
    const { difference, expected, got } = wrong;
    return { ...given, items, call: { ...given.call, inputs }, ...difference, expected, got };
  } catch {
    // A smaller model that fails differently is not a smaller case of this one.
    return undefined;
  }
}

function mayBeMissing(schema: StandardSchema): boolean {
  const result = schema['~standard'].validate(undefined);
  return !(result instanceof Promise) && result.issues === undefined;
}

function* candidates(given: ScriptCase): Generator<ScriptCase> {
  for (const [entity, list] of Object.entries(given.items))
    for (let at = 0; at < list.length; at += 1)
      yield { ...given, items: { ...given.items, [entity]: list.filter((_, i) => i !== at) } };
  if (given.call.limit !== undefined) {
    const { limit: _, ...call } = given.call;
    yield { ...given, call };
  }
  for (const script of smallerScripts(given.script)) yield { ...given, script };
  yield* plainer(given);
}

/** Simplifies texts of items and inputs, everywhere at once. */
function* plainer(given: ScriptCase): Generator<ScriptCase> {
  const texts = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string' && value.length > 1) texts.add(value);
    else if (typeof value === 'object' && value !== null && !(value instanceof Set) && !(value instanceof Uint8Array))
      for (const each of Object.values(value)) collect(each);
  };
  collect(given.items);
  const replace = (value: unknown, from: string, to: string): unknown => {
    if (value === from) return to;
    if (typeof value !== 'object' || value === null || value instanceof Set || value instanceof Uint8Array)
      return value;
    if (Array.isArray(value)) return value.map((each) => replace(each, from, to));
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replace(each, from, to)]));
  };
  for (const text of texts)
    for (const plain of ['a', 'b', 'c', 'd'].filter((each) => !texts.has(each)).slice(0, 2))
      yield {
        ...given,
        items: replace(given.items, text, plain) as ScriptCase['items'],
        call: { ...given.call, inputs: replace(given.call.inputs, text, plain) as ScriptCase['call']['inputs'] },
      };
}

function* smallerScripts(script: ModelScript): Generator<ModelScript> {
  const need = script.patterns['read'] as Readonly<Record<string, unknown>>;
  for (const entity of Object.keys(script.entities)) {
    if (JSON.stringify(need['reads']).includes(`"${entity}"`)) continue;
    const { [entity]: _, ...entities } = script.entities;
    const { [entity]: __, ...keys } = script.keys;
    yield { ...script, entities, keys };
  }
  for (const name of Object.keys(need)) {
    if (name === 'reads') continue;
    const { [name]: value, ...rest } = need;
    yield { ...script, patterns: { read: rest } };
    if (Array.isArray(value))
      for (let at = 0; at < value.length; at += 1)
        yield { ...script, patterns: { read: { ...need, [name]: value.filter((_, i) => i !== at) } } };
  }
  yield* smallerServed(script);
  yield* smallerEntities(script);
  yield* smallerKeys(script);
}

function* smallerServed(script: ModelScript): Generator<ModelScript> {
  const served = script.served['read'];
  if (typeof served === 'object' && served !== null && 'readAhead' in served) {
    const { readAhead: _, ...rest } = served;
    yield { ...script, served: { read: rest } };
  }
  if (typeof served === 'object' && served !== null && 'query' in served && Array.isArray(served.query))
    for (const place of served.query) yield { ...script, served: { read: { ...served, query: place } } };
  const data = script.tables['Data'] as { readonly indexes?: Readonly<Record<string, unknown>> };
  for (const index of Object.keys(data.indexes ?? {})) {
    const { [index]: _, ...indexes } = data.indexes ?? {};
    const keys = Object.entries(script.keys).map(([entity, own]) => {
      const { [index]: __, ...rest } = own as Readonly<Record<string, unknown>>;
      return [entity, rest] as const;
    });
    yield { ...script, tables: { Data: { ...data, indexes } }, keys: Object.fromEntries(keys) };
  }
  if ('separator' in data) {
    const text = JSON.stringify(script.keys).replaceAll(String(data.separator), '#');
    const { separator: _, ...rest } = data;
    yield { ...script, tables: { Data: rest }, keys: JSON.parse(text) as ModelScript['keys'] };
  }
}

function* smallerEntities(script: ModelScript): Generator<ModelScript> {
  for (const [entity, own] of Object.entries(script.entities)) {
    const replaced = (changed: object): ModelScript => ({
      ...script,
      entities: { ...script.entities, [entity]: { ...own, ...changed } },
    });
    if (Object.keys(own.rules ?? {}).length > 0) yield replaced({ rules: {} });
    for (const [name, attribute] of Object.entries(own.attributes)) {
      const { [name]: _, ...attributes } = own.attributes;
      yield replaced({ attributes });
      for (const detail of Object.keys(attribute) as (keyof AttributeScript)[]) {
        if (detail === 'type') continue;
        const { [detail]: __, ...rest } = attribute;
        yield replaced({ attributes: { ...own.attributes, [name]: rest } });
      }
      const { values } = attribute;
      if (values !== undefined && values.length > 1)
        for (const value of values)
          yield replaced({
            attributes: {
              ...own.attributes,
              [name]: { ...attribute, values: values.filter((each) => each !== value) },
            },
          });
      if (attribute.type !== 'text' && ['pattern', 'ulid', 'ksuid', 'enum'].includes(attribute.type))
        yield replaced({ attributes: { ...own.attributes, [name]: { type: 'text' } } });
    }
  }
}

function* smallerKeys(script: ModelScript): Generator<ModelScript> {
  for (const [entity, own] of Object.entries(script.keys) as [string, Readonly<Record<string, unknown>>][])
    for (const [place, key] of Object.entries(own)) {
      const replaced = (changed: unknown): ModelScript => ({
        ...script,
        keys: { ...script.keys, [entity]: { ...own, [place]: changed } },
      });
      if (Array.isArray(key) && key.some((form) => typeof form === 'object')) {
        for (let at = 0; at < key.length; at += 1) yield replaced(key.filter((_, i) => i !== at));
        for (const form of key) yield replaced(form);
      } else if (!Array.isArray(key)) yield replaced((key as { readonly key: unknown }).key);
      else for (const changed of smallerTemplates(key as string[])) yield replaced(changed);
    }
  const text = JSON.stringify(script.keys);
  for (const [hole, name] of new Set(
    [...text.matchAll(/\{(\w+):[^}]*\}/g)].map((match) => match.slice(0, 2) as [string, string]),
  ))
    yield { ...script, keys: JSON.parse(text.replaceAll(hole, `{${name}}`)) as ModelScript['keys'] };
}

function* smallerTemplates(templates: readonly string[]): Generator<string[]> {
  for (const [at, template] of templates.entries()) {
    const pieces = template.split(/(\{[^}]*\})/).filter((piece) => piece !== '');
    const replaced = (changed: string): string[] => templates.map((each, i) => (i === at ? changed : each));
    if (pieces.length < 2) continue;
    for (const [i, piece] of pieces.entries()) {
      yield replaced(pieces.filter((_, k) => k !== i).join(''));
      if (!piece.startsWith('{') && piece.length > 1)
        yield replaced(pieces.map((each, k) => (k === i ? each.slice(0, 1) : each)).join(''));
    }
  }
}
