import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { connect, ready } from '../run/connect.ts';
import { sender, type SentOperation } from '../run/context.ts';
import { InputError } from '../model-error.ts';
import type { Model } from '../model.ts';

/** What one call of a pattern consumed, as the service reports it. */
export interface Measured {
  /** Requests that were sent. */
  readonly requests: number;
  /** Items read, before filters. */
  readonly itemsRead: number;
  /** Items in the answers. */
  readonly items: number;
  /** Bytes of the answers. */
  readonly bytes: number;
  /** Read units that the service counted. */
  readonly readUnits: number;
  /** Write units that the service counted. */
  readonly writeUnits: number;
}

interface CapacityAnswer {
  readonly Item?: object;
  readonly Items?: readonly object[];
  readonly Count?: number;
  readonly ScannedCount?: number;
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number } | readonly { readonly CapacityUnits?: number }[];
}

/**
 * Runs the requests of a read or write once, and adds up what they consumed. A write really writes.
 *
 * @throws {InputError} for input that the pattern does not accept.
 */
export async function measure(
  model: Model,
  pattern: string,
  input: Readonly<Record<string, unknown>>,
  options: { readonly client: DynamoDBClient; readonly tables?: { readonly [table: string]: string } },
): Promise<Measured> {
  const db = (await ready(connect(model, options))) as unknown as Readonly<
    Record<
      string,
      { request: (input: unknown) => readonly { readonly operation: SentOperation; readonly input: object }[] }
    >
  >;
  const built = db[pattern];
  if (built === undefined) throw new InputError('no-pattern', pattern, 'is not a pattern of the model');
  const send = sender(options.client);
  const total = { requests: 0, itemsRead: 0, items: 0, bytes: 0, readUnits: 0, writeUnits: 0 };
  for (const request of built.request(input)) {
    const answer: CapacityAnswer = await send({
      ...request,
      input: { ...request.input, ReturnConsumedCapacity: 'TOTAL' },
    });
    const found = answer.Items ?? (answer.Item === undefined ? [] : [answer.Item]);
    const capacity = [answer.ConsumedCapacity ?? []]
      .flat()
      .reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
    total.requests += 1;
    total.items += answer.Count ?? found.length;
    total.itemsRead += answer.ScannedCount ?? found.length;
    total.bytes += Buffer.byteLength(JSON.stringify(found));
    if (/^(GetItem|BatchGetItem|Query|Scan)$/.test(request.operation)) total.readUnits += capacity;
    else total.writeUnits += capacity;
  }
  return total;
}
