import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { functionNames, type Path, TextProblem, type Token } from './condition-tokens.ts';

// Converts the tokens of conditions to an expression of the API, or to PartiQL.

/** Names and values that expressions refer to by `#name` and `:name`. A name is added once, each value separately. */
export class PlaceholderMaker {
  readonly #names = new Map<string, string>();
  readonly #values = new Map<string, AttributeValue>();

  /** @param wanted - `pk`: the placeholder, unless it is taken. */
  name(attribute: string, wanted: string = attribute): string {
    for (const [placeholder, name] of this.#names) if (name === attribute) return placeholder;
    const placeholder = free(this.#names, `#${wordOf(wanted)}`);
    this.#names.set(placeholder, attribute);
    return placeholder;
  }

  value(value: AttributeValue, wanted: string): string {
    const placeholder = free(this.#values, `:${wordOf(wanted)}`);
    this.#values.set(placeholder, value);
    return placeholder;
  }

  path(path: Path): string {
    return path
      .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${this.name(part)}`))
      .join('');
  }

  /** The members for the request, without empty ones. */
  get members(): {
    readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
    readonly ExpressionAttributeValues?: AttributeMap;
  } {
    return {
      ...(this.#names.size > 0 && { ExpressionAttributeNames: Object.fromEntries(this.#names) }),
      ...(this.#values.size > 0 && { ExpressionAttributeValues: Object.fromEntries(this.#values) }),
    };
  }
}

function wordOf(text: string): string {
  return text.replaceAll(/\W/g, '').slice(0, 40) || 'v';
}

function free(taken: ReadonlyMap<string, unknown>, wanted: string): string {
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number += 1) if (!taken.has(`${wanted}${number}`)) return `${wanted}${number}`;
}

/** As an expression of the API. @throws {TextProblem} for syntax that expressions do not have. */
export function expressionOf(tokens: readonly Token[], placeholders: PlaceholderMaker): string {
  let subject = 'v';
  const parts: string[] = [];
  const known = withoutMissing(tokens);
  for (const [at, token] of known.entries()) {
    if (token.kind === 'path') {
      subject = token.path.findLast((part) => typeof part === 'string') ?? token.path[0];
      parts.push(placeholders.path(token.path));
    } else if (token.kind === 'value') {
      const isList = 'L' in token.value && isWord(known[at - 1], 'IN');
      parts.push(
        isList
          ? `(${token.value.L.map((each) => placeholders.value(each, subject)).join(', ')})`
          : placeholders.value(token.value, subject),
      );
    } else {
      if (token.text === '?') throw new TextProblem('The value of ? is not in the text: write the value itself.');
      parts.push(token.text);
    }
  }
  return joined(parts);
}

/** `a IS MISSING` is a function in expressions. */
function withoutMissing(tokens: readonly Token[]): readonly Token[] {
  const replaced: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token; // at is below the length
    if (!isWord(token, 'IS')) {
      replaced.push(token);
      continue;
    }
    const isNegated = isWord(tokens[at + 1], 'NOT');
    const what = tokens[at + (isNegated ? 2 : 1)];
    const path = replaced.pop();
    if (path?.kind !== 'path') throw new TextProblem('Before IS there must be an attribute.');
    at += isNegated ? 2 : 1;
    if (isWord(what, 'MISSING')) {
      replaced.push(word(isNegated ? 'attribute_exists' : 'attribute_not_exists'), sign('('), path, sign(')'));
    } else if (what?.kind === 'value' && 'NULL' in what.value) {
      if (isNegated) replaced.push(word('NOT'));
      replaced.push(word('attribute_type'), sign('('), path, sign(','));
      replaced.push({ kind: 'value', value: { S: 'NULL' } }, sign(')'));
    } else {
      throw new TextProblem('After IS there must be MISSING or NULL, with or without NOT.');
    }
  }
  return replaced;
}

/** As PartiQL, which is also the typed form. @throws {TextProblem} for values without a PartiQL literal. */
export function partiqlOf(tokens: readonly Token[]): string {
  const parts: string[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token; // at is below the length
    const path = tokens[at + 2];
    const existence = token.kind === 'word' ? existences[token.text] : undefined;
    if (existence !== undefined && path?.kind === 'path') {
      parts.push(`${quotedPath(path.path)} ${existence}`);
      at += 3;
    } else if (isWord(tokens[at - 1], 'IN') && token.kind === 'sign' && token.text === '(') {
      const end = tokens.findIndex((each, place) => place > at && each.kind === 'sign' && each.text === ')');
      const elements = tokens.slice(at + 1, end).filter(({ kind }) => kind === 'value');
      parts.push(`[${elements.map((each) => (each.kind === 'value' ? literalOf(each.value) : '')).join(', ')}]`);
      at = end;
    } else {
      parts.push(textOf(token));
    }
  }
  return joined(parts);
}

const existences: Readonly<Record<string, string>> = {
  attribute_exists: 'IS NOT MISSING',
  attribute_not_exists: 'IS MISSING',
};

function textOf(token: Token): string {
  if (token.kind === 'path') return quotedPath(token.path);
  return token.kind === 'value' ? literalOf(token.value) : token.text;
}

export function quotedPath(path: Path): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${quotedName(part)}`))
    .join('');
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** @throws {TextProblem} for binary values. */
export function literalOf(value: AttributeValue): string {
  if ('S' in value) return quotedText(value.S);
  if ('N' in value) return value.N;
  if ('BOOL' in value) return String(value.BOOL);
  if ('NULL' in value) return 'NULL';
  if ('SS' in value) return `<<${value.SS.map(quotedText).join(', ')}>>`;
  if ('NS' in value) return `<<${value.NS.join(', ')}>>`;
  if ('L' in value) return `[${value.L.map(literalOf).join(', ')}]`;
  if ('M' in value)
    return `{${Object.entries(value.M)
      .map(([name, each]) => `${quotedText(name)}: ${literalOf(each)}`)
      .join(', ')}}`;
  throw new TextProblem('PartiQL has no literals for binary values: they are parameters there.');
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Puts spaces between words, but not between a function and its brackets. Literals are quoted, so that none of their text is taken for syntax. */
function joined(parts: readonly string[]): string {
  let text = '';
  for (const [at, part] of parts.entries()) {
    const before = parts[at - 1];
    const isTight =
      before === undefined ||
      before === '(' ||
      part === ')' ||
      part === ',' ||
      (part === '(' && functionNames.has(before));
    text += isTight ? part : ` ${part}`;
  }
  return text;
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text === text;
}

function word(text: string): Token {
  return { kind: 'word', text };
}

function sign(text: string): Token {
  return { kind: 'sign', text };
}
