import { readFileSync } from 'node:fs';
import { UsageError } from '../usage-error.ts';

/**
 * The input of a pattern from the command line: `--username alex --price 12.5 --tags '["a"]'`, or `--input` with JSON. A value that
 * reads as JSON is JSON, unless the pattern has it as text only; anything else is text.
 *
 * @throws {UsageError} for an option without a value, and for input that is not JSON.
 */
export function patternInput(words: readonly string[], input: string | undefined): Readonly<Record<string, unknown>> {
  const given: Record<string, unknown> = input === undefined ? {} : jsonObject(input);
  for (let at = 0; at < words.length; at += 1) {
    const [flag, inline] = splitOnce(words[at] ?? '');
    if (!flag.startsWith('--'))
      throw new UsageError(`Inputs are options, such as --username alex; not ${JSON.stringify(flag)}.`);
    const name = flag.slice(2);
    const value = inline ?? words[(at += 1)];
    if (value === undefined) throw new UsageError(`--${name} needs a value.`);
    given[name] = plainValue(value);
  }
  return given;
}

/** Numbers, truth values, lists and objects as JSON; text that only looks like a number, such as `007`, stays text. */
function plainValue(text: string): unknown {
  if (!/^(-?(0|[1-9]\d*)(\.\d+)?|true|false|null|[[{].*[\]}]|".*")$/s.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function jsonObject(input: string): Record<string, unknown> {
  const text = input === '-' ? readFileSync(0, 'utf8') : input;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    throw new UsageError(`--input is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  throw new UsageError('--input takes a JSON object.');
}

function splitOnce(word: string): readonly [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
