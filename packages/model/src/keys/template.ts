import { InputError } from '../model-error.ts';
import { type Encoder, encoderNamed, type KeyValue } from './encoders.ts';

/** A variable of a key template: an attribute of the entity and how its value is converted to text. */
export interface TemplateVariable {
  /** The attribute whose value fills the hole. */
  readonly name: string;
  /** The encoders that convert the value to text, applied in order. */
  readonly encoders: readonly Encoder[];
  /** The encoders as written, for display: `lower`, `ksuid:day`. */
  readonly encoding: string;
}

/** A key template such as `ORDER#{placedAt}#{orderId}`, parsed into its parts. */
export interface KeyTemplate {
  /** The template as it is written: `ORDER#{orderId}`. */
  readonly source: string;
  /** Texts and holes, in order. */
  readonly parts: readonly (string | TemplateVariable)[];
  /** The holes, in order. */
  readonly variables: readonly TemplateVariable[];
  /** The text before the first variable. */
  readonly prefix: string;
}

/** Parses a template. `problem` describes its first error, if there is one. */
export function parseTemplate(source: string): { readonly template: KeyTemplate; readonly problem?: string } {
  const parts: (string | TemplateVariable)[] = [];
  let problem: string | undefined;
  for (const piece of source.split(/(\{[^{}]*\})/)) {
    if (piece === '') continue;
    if (!piece.startsWith('{')) {
      if (/[{}]/.test(piece)) problem = `unmatched brace in "${source}"`;
      parts.push(piece);
      continue;
    }
    const [name = '', ...names] = piece.slice(1, -1).split(':');
    const encoders = names.map(encoderNamed);
    const unknown = names.find((_, i) => encoders[i] === undefined);
    if (name === '') problem = `a variable without a name in "${source}"`;
    if (unknown !== undefined) problem = `no encoder "${unknown}"`;
    parts.push({ name, encoders: encoders.filter((e) => e !== undefined), encoding: names.join(':') });
  }
  const variables = parts.filter((part) => typeof part !== 'string');
  const early = variables.find((part) => part !== parts.at(-1) && part.encoders.some(({ rest }) => rest === true));
  if (early !== undefined) problem = `{${early.name}:rest} is not the last of "${source}"`;
  const [first] = parts;
  const template = { source, parts, variables, prefix: typeof first === 'string' ? first : '' };
  return problem === undefined ? { template } : { template, problem };
}

/** The encoder with shards, and so the number of partitions that one logical key is spread over. */
export function shardsOf(variable: TemplateVariable): Encoder['shards'] {
  return variable.encoders.at(-1)?.shards;
}

/** The unit of time that a variable is truncated to. */
export function unitOf(variable: TemplateVariable): Encoder['unit'] {
  return variable.encoders.at(-1)?.unit;
}

/** A compiled template: returns the text for the values of an item, or undefined when a variable has no value. */
export type TemplateWriter = (values: Readonly<Record<string, unknown>>) => string | undefined;

/**
 * Compiles a template. A value that contains the table's separator is rejected, unless an encoder made it safe, because the key
 * would be ambiguous.
 */
export function templateWriter({ parts }: KeyTemplate, separator: string, entity: string): TemplateWriter {
  const [whole] = parts;
  if (parts.length === 1 && typeof whole === 'object') return variableWriter(whole, '', entity);
  const steps = parts.map((part) => (typeof part === 'string' ? part : variableWriter(part, separator, entity)));
  return (values) => {
    let key = '';
    for (const step of steps) {
      const piece = typeof step === 'string' ? step : step(values);
      if (piece === undefined) return undefined;
      key += piece;
    }
    return key;
  };
}

/** The text of one variable. An empty `separator` allows any character, because the variable is the whole key. */
export function variableWriter(variable: TemplateVariable, separator: string, entity: string): TemplateWriter {
  const { name, encoders } = variable;
  const path = `${entity}.${name}`;
  const guarded = separator !== '' && !encoders.some((encoder) => encoder.safe);
  // The encoder itself knows the usual separators only (decision 0135).
  const escapes = guarded && encoders.at(-1)?.name === 'escape';
  const escaped = `%${separator.charCodeAt(0).toString(16)}`;
  return (values) => {
    let value = values[name];
    if (value === undefined || value === null) return undefined;
    if (encoders.length > 0) value = encoded(value as KeyValue, encoders, path);
    const text = typeof value === 'string' ? value : keyText(value, path);
    const result = escapes ? text.replaceAll(separator, escaped) : text;
    if (guarded && result.includes(separator)) {
      const advice = `has the separator "${separator}"; refuse such values in the schema or write {${name}:escape}`;
      throw new InputError('separator-in-value', path, `${JSON.stringify(result)} ${advice}`);
    }
    if (result === '') throw new InputError('empty-key-value', path, 'is empty');
    return wellFormed(result, path);
  };
}

/**
 * A text that has a form in UTF-8.
 *
 * Decision 0138 says why.
 *
 * @throws {InputError} if it has half of a surrogate pair, which would be stored as U+FFFD, and so as another text.
 */
export function wellFormed(text: string, path: string): string {
  if (text.isWellFormed()) return text;
  throw new InputError('not-storable', path, 'has half of a surrogate pair');
}

/** @throws {InputError} with this path, for a value that an encoder refuses. */
export function encoded(value: KeyValue, encoders: readonly Encoder[], path: string): KeyValue {
  try {
    return encoders.reduce((result, encoder) => encoder.encode(result), value);
  } catch (error) {
    if (error instanceof InputError) throw new InputError(error.code, path, error.message);
    throw new InputError('not-encodable', path, `${String(value)} cannot be encoded`);
  }
}

function keyText(value: unknown, path: string): string {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  throw new InputError('not-a-key-value', path, 'is neither text nor a number');
}
