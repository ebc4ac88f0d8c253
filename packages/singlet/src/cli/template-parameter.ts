import { UsageError } from './usage-error.ts';

/** Adds a value of `--parameter NAME=VALUE` to those before it. */
export function collectParameter(text: string, collected: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--parameter takes NAME=VALUE, not ${JSON.stringify(text)}.`);
  return new Map([...collected, [text.slice(0, at), text.slice(at + 1)]]);
}
