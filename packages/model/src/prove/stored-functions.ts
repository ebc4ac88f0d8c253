import type { Model } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import { turnedInput, turnedResult } from '../run/coded.ts';
import { connect, type ConnectOptions, transact } from '../run/connect.ts';
import type { WriteCall } from './write-call.ts';

/** A pattern's function over values in their stored form. */
export type PatternFunction = (input: unknown, options?: object) => Promise<unknown>;

/**
 * The patterns of a model as functions of stored values, so that items, inputs and the oracle share one form. The application's form is
 * used in between, so that each codec runs in both directions.
 */
export function storedFunctions(
  model: Model,
  options: ConnectOptions,
  connected: (model: Model, options: ConnectOptions) => object = connect,
): Readonly<Record<string, PatternFunction>> {
  const resolved = resolve(model);
  const functions = connected(model, options) as Readonly<Record<string, PatternFunction>>;
  return Object.fromEntries(
    Object.entries(functions).map(([name, run]): [string, PatternFunction] => {
      const need = model.patterns[name] ?? {};
      return [
        name,
        async (input, more) =>
          turnedResult('encode', resolved, need, await run(turnedInput('decode', resolved, need, input), more)),
      ];
    }),
  );
}

/** Writes of stored values, in one transaction. */
export async function transactStored(
  model: Model,
  options: ConnectOptions,
  calls: readonly WriteCall[],
): Promise<void> {
  const resolved = resolve(model);
  const operations = calls.map(({ pattern, input }) => {
    const turned = turnedInput('decode', resolved, model.patterns[pattern] ?? {}, input);
    return { pattern, input: turned as Readonly<Record<string, unknown>> };
  });
  await transact(connect(model, options), operations);
}
