import type { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { EntityInfo, ResolvedModel, TableInfo } from '../resolve/resolved.ts';
import type { CursorSeal } from './cursor.ts';
import type { ItemCodec, Values } from './item-codec.ts';
import { Loadable } from './loadable.ts';
import type { ItemEvaluator } from './residual-tests.ts';

/** Operations that patterns send. */
export type SentOperation =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'Scan'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | 'TransactWriteItems';

/** A request before it is sent. */
export interface BuiltRequest {
  readonly operation: SentOperation;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The answer: the fields of any operation's answer that the model uses. */
export interface Answer {
  readonly [field: string]: unknown;
}

/** The state that every pattern of a connection shares. */
export interface Context {
  readonly resolved: ResolvedModel;
  readonly seal: Loadable<CursorSeal>;
  /** Evaluates conditions. Loaded with the first runner if the model has keys with conditions, or a read tests the items it found. */
  readonly evaluator: Loadable<ItemEvaluator>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Codecs made so far, by entity. */
  readonly codecs: Map<string, ItemCodec>;
  /** While a migration runs: a codec that reads items of either form. */
  readonly eitherCodec?: (entity: EntityInfo) => ItemCodec | undefined;
  readonly tableName: (table: TableInfo) => string;
  /** @param pattern - the pattern that sends the request, for the request hook. */
  readonly send: (request: BuiltRequest, pattern?: string) => Promise<Answer>;
  /** During a migration: converts the item that these values identify to its new form before it is read or written. */
  readonly bringForward?: (entity: EntityInfo, values: Values) => Promise<void>;
  /** While a migration counts: the attribute that every write of a counter increments. */
  readonly activity?: (parent: EntityInfo, counter: string) => string | undefined;
}

/** Sends through an SDK client. */
export function sender(client: DynamoDBClient): Context['send'] {
  const loadable = new Loadable(async () => (await import('./commands.ts')).commands);
  return async ({ operation, input }) => {
    const commands = loadable.loaded ?? (await loadable.load());
    // Each command takes its own input and `input` was built for this operation. The type system cannot express the pairing.
    const command = new commands[operation](input as never) as PutItemCommand;
    return (await client.send(command)) as unknown as Answer;
  };
}

/** The values that an input gives to attributes, with other names resolved and constants added. */
export type InputValues = (input: Values) => Values;
