import { InputError } from '../../src/model-error.ts';
import { parseTemplate, type TemplateVariable, variableWriter } from '../../src/keys/template.ts';

/** Whether a text may be that of a key such as `ORDER#{id:03}`, whatever the values of its variables. */
export function matchesTemplate(template: string, text: string): boolean {
  let pattern = patterns.get(template);
  if (pattern === undefined) {
    const source = template.split(/(\{[^{}]*\})/).map((part, at) => (at % 2 === 1 ? '.*' : literal(part)));
    pattern = new RegExp(`^${source.join('')}$`, 'su');
    patterns.set(template, pattern);
  }
  return pattern.test(text);
}

const patterns = new Map<string, RegExp>();

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** A text with the values of its variables, as far as they are known. */
export interface FilledText {
  /** The text before the first variable without a value. */
  readonly text: string;
  /** Whether there is one: any text may follow. */
  readonly isOpen: boolean;
}

/** Fills a text such as `ORDER#{at.from:utc}`, whose variables are encoded as in a key. */
export function filledText(template: string, values: Readonly<Record<string, unknown>>, separator: string): FilledText {
  let text = '';
  const { parts } = parseTemplate(template).template;
  // A variable that is the whole key may have the separator.
  const guarded = parts.length === 1 ? '' : separator;
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else {
      const written = writtenValue(part, values, guarded);
      if (written === undefined) return { text, isOpen: true };
      text += written;
    }
  }
  return { text, isOpen: false };
}

/** A value that a key refuses is clipped by a read, or finds nothing. */
function writtenValue(
  variable: TemplateVariable,
  values: Readonly<Record<string, unknown>>,
  separator: string,
): string | undefined {
  const value = values[variable.name];
  // A number that no key of whole numbers has is not written.
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return undefined;
  // Times are compared by instant, and written in one form.
  if (typeof value === 'string' && /^[+-]?\d{4,6}-\d\d-\d\d/.test(value)) return undefined;
  try {
    return variableWriter(variable, separator, 'stated')(values);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

type StoredValue = Readonly<Record<string, unknown>>;

/** What a filter is evaluated with. */
export interface FilterContext {
  readonly item: Readonly<Record<string, StoredValue | undefined>>;
  readonly input: Readonly<Record<string, unknown>>;
  /** Seconds since 1970. */
  readonly now: number;
}

/**
 * Whether an item meets one of the conditions that `explain` lists, such as `status = "OPEN"` or `n above {given} and below 10`.
 *
 * @throws {TypeError} for a text that has another form.
 */
export function meetsText(text: string, context: FilterContext): boolean {
  const expiry = /^(\w+) is missing or above now$/.exec(text);
  if (expiry !== null) {
    const value = context.item[expiry[1] ?? '']?.['N'];
    return value === undefined || Number(value) > context.now;
  }
  const chosen = /^(\w+) = \{\w+\}, where it is given$/.exec(text);
  if (chosen !== null) {
    const name = chosen[1] ?? '';
    return context.input[name] === undefined || compares('=', context.item[name], context.input[name]);
  }
  const begun = /^(\w+) begins \{\w+\.begins\}, where it is given$/.exec(text);
  if (begun !== null) {
    const name = begun[1] ?? '';
    const { begins } = Object(context.input[name]) as { readonly begins?: unknown };
    return begins === undefined || begins === null || compares('begins', context.item[name], begins);
  }
  return new ConditionReader(text, context).any();
}

/** Reads a condition from left to right. */
class ConditionReader {
  #rest: string;
  #path = '';
  readonly #context: FilterContext;

  constructor(text: string, context: FilterContext) {
    this.#rest = text;
    this.#context = context;
  }

  any(): boolean {
    const results = [this.#all()];
    while (this.#take(/^ or /) !== undefined) results.push(this.#all());
    if (this.#rest !== '') throw new TypeError(`is not a condition: ${this.#rest}`);
    return results.includes(true);
  }

  #all(): boolean {
    const results = [this.#one()];
    while (this.#take(/^ and /) !== undefined) results.push(this.#one());
    return !results.includes(false);
  }

  #one(): boolean {
    // A further comparison of the same attribute does not name it again.
    const isFurther = /^(?:above|below|atLeast|atMost|begins|contains|lacks|not|size|equals) /.test(this.#rest);
    if (!isFurther) this.#path = this.#take(/^[\w.[\]]+/) ?? '';
    else this.#rest = ` ${this.#rest}`;
    const value = valueAt(this.#context.item, this.#path);
    if (this.#take(/^ exists/) !== undefined) return value !== undefined;
    if (this.#take(/^ is missing/) !== undefined) return value === undefined;
    if (this.#take(/^ is one of /) !== undefined) {
      const operands = [this.#operand()];
      while (this.#take(/^, /) !== undefined) operands.push(this.#operand());
      return operands.some((operand) => compares('=', value, operand));
    }
    const comparison = this.#take(/^ (?:=|\w+) /)?.trim() ?? '';
    return compares(comparison, value, this.#operand());
  }

  #operand(): unknown {
    const reference = this.#take(/^\{\w+\}/);
    if (reference !== undefined) return this.#context.input[reference.slice(1, -1)];
    // JSON: a text, an object, a list, or a word.
    const json = this.#take(/^(?:"(?:[^"\\]|\\.)*"|\{"[^}]*\}|\[[^\]]*\]|[^\s,]+)/) ?? '';
    return JSON.parse(json) as unknown;
  }

  #take(pattern: RegExp): string | undefined {
    const [found] = pattern.exec(this.#rest) ?? [];
    if (found !== undefined) this.#rest = this.#rest.slice(found.length);
    return found;
  }
}

function valueAt(item: FilterContext['item'], path: string): StoredValue | undefined {
  const [first = '', ...more] = path.split('.');
  let value = item[first];
  for (const name of more) value = (value?.['M'] as FilterContext['item'] | undefined)?.[name];
  return value;
}

function compares(comparison: string, value: StoredValue | undefined, operand: unknown): boolean {
  if (comparison === 'not') {
    const operands = [operand].flat();
    return !operands.some((each) => compares('=', value, each));
  }
  if (comparison === 'lacks') return !compares('contains', value, operand);
  if (value === undefined || operand === undefined) return false;
  if (comparison === 'size') {
    const size = { N: String(sizeOf(value) ?? Number.NaN) };
    return Object.entries(Object(operand) as object).every(([kind, each]) => compares(kind, size, each));
  }
  const [[type, stored] = []] = Object.entries(value);
  if (comparison === 'contains') {
    if (type === 'S') return typeof operand === 'string' && String(stored).includes(operand);
    if (type === 'SS') return (stored as unknown[]).includes(operand);
    if (type === 'L') return (stored as StoredValue[]).some((each) => compares('=', each, operand));
    return false;
  }
  const order = orderOf(type, stored, operand);
  if (order === undefined) return false;
  switch (comparison) {
    case '=':
    case 'equals':
      return order === 0;
    case 'above':
      return order > 0;
    case 'atLeast':
      return order >= 0;
    case 'below':
      return order < 0;
    case 'atMost':
      return order <= 0;
    case 'begins':
      return type === 'S' && typeof operand === 'string' && String(stored).startsWith(operand);
    default:
      throw new TypeError(`is not a comparison: ${comparison}`);
  }
}

/** Undefined for values of different types. */
function orderOf(type: string | undefined, stored: unknown, operand: unknown): number | undefined {
  if (type === 'S' && typeof operand === 'string')
    return Buffer.compare(Buffer.from(String(stored)), Buffer.from(operand));
  if (type === 'N' && (typeof operand === 'number' || typeof operand === 'bigint'))
    return String(stored) === String(operand) ? 0 : Math.sign(Number(stored) - Number(operand));
  if (type === 'BOOL' && typeof operand === 'boolean') return stored === operand ? 0 : Number.NaN;
  return undefined;
}

function sizeOf(value: StoredValue): number | undefined {
  const { S, SS, L, M } = value;
  if (typeof S === 'string') return Buffer.byteLength(S);
  if (Array.isArray(SS ?? L)) return ((SS ?? L) as unknown[]).length;
  return M === undefined ? undefined : Object.keys(Object(M) as object).length;
}
