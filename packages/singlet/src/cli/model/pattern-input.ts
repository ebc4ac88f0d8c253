import { readFileSync } from 'node:fs';
import type { Model } from '@singlet/model';
import { UsageError } from '../usage-error.ts';
import { type PatternInputs, patternInputs } from './pattern-inputs.ts';

/**
 * The input of a pattern from the command line: `--username alex --price 12.5 --tags '["a"]'`, or `--input` with JSON. A value that is valid
 * JSON is parsed as JSON, unless the pattern accepts only text; anything else is text. A pattern that takes several inputs gets a list of them
 * with `--input`.
 *
 * @throws {UsageError} for an option without a value, input that is not JSON, and inputs that are unknown or missing.
 */
export function patternInput(
  model: Model,
  pattern: string,
  words: readonly string[],
  input: string | undefined,
): Readonly<Record<string, unknown>> | readonly unknown[] {
  const inputs = patternInputs(model, pattern);
  const { list, values: given } = input === undefined ? { values: {} } : parsed(input, inputs);
  if (list !== undefined) {
    if (words.length > 0) throw new UsageError('--input with a list cannot be combined with other inputs.');
    return list;
  }
  for (let at = 0; at < words.length; at += 1) {
    const [flag, inline] = splitOnce(words[at] ?? '');
    if (!flag.startsWith('--'))
      throw new UsageError(`Inputs are options, such as --username alex; not ${JSON.stringify(flag)}.`);
    const name = flag.slice(2);
    const value = inline ?? words[(at += 1)];
    if (value === undefined) throw new UsageError(`--${name} needs a value.`);
    given[name] = inputs.accepts(name, plainValue(value)) || !inputs.accepts(name, value) ? plainValue(value) : value;
  }
  checkNames(pattern, inputs, Object.keys(given));
  return given;
}

function checkNames(pattern: string, { many, known, needed }: PatternInputs, given: readonly string[]): void {
  if (many) throw new UsageError(`${pattern} takes several inputs: give them as a list, --input '[{…}, {…}]'.`);
  const unknown = known === undefined ? undefined : given.find((name) => !known.has(name));
  const flags = [...(known ?? [])].map((name) => `--${name}`).join(', ');
  if (unknown !== undefined)
    throw new UsageError(`${pattern} has no input ${unknown}; it takes ${flags === '' ? 'none' : flags}.`);
  const missing = needed.filter((name) => !given.includes(name));
  if (missing.length > 0) throw new UsageError(`${pattern} needs ${missing.map((name) => `--${name}`).join(' and ')}.`);
}

/** Numbers, booleans, lists and objects as JSON; text that only looks like a number, such as `007`, remains text. */
function plainValue(text: string): unknown {
  if (!/^(-?(0|[1-9]\d*)(\.\d+)?|true|false|null|[[{].*[\]}]|".*")$/s.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The contents of `--input`: a list of inputs, or values by name. */
interface ParsedInput {
  readonly list?: readonly unknown[];
  readonly values: Record<string, unknown>;
}

function parsed(input: string, { many }: PatternInputs): ParsedInput {
  const text = input === '-' ? readFileSync(0, 'utf8') : input;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && many) return { list: value, values: {} };
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { values: { ...value } };
  } catch (error) {
    throw new UsageError(`--input is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  throw new UsageError(`--input takes a JSON ${many ? 'list' : 'object'}.`);
}

function splitOnce(word: string): readonly [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
