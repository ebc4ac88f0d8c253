import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Model } from '@singlet/model';
import { UsageError } from '../usage-error.ts';

/** A pattern of a connected model, without its types. */
export type PatternFunction = ((input: unknown, options?: object) => Promise<unknown>) & {
  /** The request, or requests, that a call would send. */
  readonly request: (input: unknown) => unknown;
};

/**
 * A pattern of a model, connected to a client. It takes and returns values in their stored form, which is what a command line can write.
 *
 * @param options.tables - the table names, by the names in the model.
 * @throws {UsageError} if the model has no such pattern.
 */
export async function patternFunction(
  model: Model,
  name: string,
  { client, tables }: { readonly client: DynamoDBClient; readonly tables: Readonly<Record<string, string>> },
): Promise<PatternFunction> {
  const [{ connect, ready }, { storedForm }] = await Promise.all([
    import('@singlet/model'),
    import('@singlet/model/bridges'),
  ]);
  const functions = (await ready(connect(storedForm(model), { client, tables }))) as unknown as Readonly<
    Record<string, PatternFunction>
  >;
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (found === undefined)
    throw new UsageError(`${model.name} has no pattern ${name}; it has ${Object.keys(functions).join(', ')}.`);
  return found;
}
