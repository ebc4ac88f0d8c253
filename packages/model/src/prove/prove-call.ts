import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Entities } from '../entities/entity.ts';
import type { Model, Needs } from '../model.ts';
import type { Values } from './oracle/index.ts';
import { anyTablePrefix, ProvingTables } from './proving-tables.ts';
import type { ReadCall } from './read-call.ts';
import { ReadRunner, type WrongRead } from './read-run.ts';

/** One call over given items. */
export interface ProveCallOptions {
  /** A client of the database that answers. */
  readonly client: DynamoDBClient;
  /** By entity, as the application sees them. */
  readonly items: { readonly [entity: string]: readonly Values[] };
  /** The call to compare. */
  readonly call: ReadCall;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The prefix of the table names. A new random one each time by default. */
  readonly tablePrefix?: string;
}

/**
 * Makes one call of a pattern that reads over given items, in its own tables, and compares the answer with the oracle's. Replays
 * a counterexample of `prove`.
 *
 * @returns the fault of the answer; undefined if the answer is correct.
 */
export async function proveCall<D extends Entities, P extends Needs>(
  typed: Model<D, P>,
  { client, items, call, now, tablePrefix = anyTablePrefix() }: ProveCallOptions,
): Promise<WrongRead | undefined> {
  const model = typed as unknown as Model;
  const tables = new ProvingTables(model, client, tablePrefix);
  await tables.create();
  try {
    const state = await tables.store(new Map(Object.entries(items)));
    const runner = new ReadRunner(model, { client, tables: tables.names, now: () => now, random: () => 0.5 });
    return await runner.run(call, state);
  } finally {
    await tables.remove();
  }
}
