import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Entities } from '../entities/entity.ts';
import type { Model, Needs } from '../model.ts';
import type { Values } from './oracle/index.ts';
import { anyTablePrefix, ProvingTables } from './proving-tables.ts';
import type { ReadCall } from './read-call.ts';
import { ReadRunner, type WrongRead } from './read-run.ts';

/** One call over given items. */
export interface ProveCallOptions {
  /** Of the database that answers. */
  readonly client: DynamoDBClient;
  /** By entity, as the application knows them. */
  readonly items: { readonly [entity: string]: readonly Values[] };
  /** The call to compare. */
  readonly call: ReadCall;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What the names of the tables begin with. By default something that is drawn again each time. */
  readonly tablePrefix?: string;
}

/**
 * Makes one call of a pattern that reads over given items, in tables of its own, and compares the answer with the oracle's: what a
 * counterexample of `prove` is replayed by.
 *
 * @returns how the answer is wrong; undefined where it is right.
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
