import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  TransactionCanceledException,
  TransactionConflictException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { RandomSource } from '../../src/prove/random-source.ts';

type Command = Parameters<DynamoDBClient['send']>[0];

/** Fewer than a write makes attempts. */
const troublesInARow = 3;
const troubleRate = 0.3;

/**
 * A client of a service that is busy: writes meet transactions of others, transactions are cancelled because they are throttled, and batches are
 * written in part. All of it has no effect on a write that is sent again.
 */
export function busyClient({ send }: DynamoDBClient, random: RandomSource): DynamoDBClient {
  let row = 0;
  const busy = async (command: Command): Promise<unknown> => {
    if (isWrite(command) && row < troublesInARow && random.chance(troubleRate)) {
      row += 1;
      const problem = { $metadata: {}, message: 'the service is busy' };
      if (!(command instanceof TransactWriteItemsCommand)) throw new TransactionConflictException(problem);
      const CancellationReasons = (command.input.TransactItems ?? []).map(() => ({ Code: 'None' }));
      const Code = random.pick(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);
      CancellationReasons[random.below(CancellationReasons.length)] = { Code };
      throw new TransactionCanceledException({ ...problem, CancellationReasons });
    }
    row = 0;
    if (!(command instanceof BatchWriteItemCommand)) return send(command);
    const [first] = Object.entries(command.input.RequestItems ?? {});
    if (first === undefined || first[1].length < 2) return send(command);
    const [table, requests] = first;
    const count = random.between(1, requests.length - 1);
    await send(new BatchWriteItemCommand({ RequestItems: { [table]: requests.slice(0, count) } }));
    return { UnprocessedItems: { [table]: requests.slice(count) } };
  };
  // The toolkit only calls `send` on a client.
  return { send: busy } as unknown as DynamoDBClient;
}

/** A client that loses answers to writes which took effect, and sends them again with the same token, as the SDK does. */
export function forgetfulClient({ send }: DynamoDBClient, random: RandomSource): DynamoDBClient {
  let tokens = 0;
  const forgetful = async (command: Command): Promise<unknown> => {
    if (!isWrite(command) || !random.chance(troubleRate)) return send(command);
    if (command instanceof TransactWriteItemsCommand) command.input.ClientRequestToken = `token-${(tokens += 1)}`;
    await send(command);
    return send(command);
  };
  return { send: forgetful } as unknown as DynamoDBClient;
}

function isWrite(command: Command): boolean {
  return [PutItemCommand, UpdateItemCommand, DeleteItemCommand, TransactWriteItemsCommand].some(
    (each) => command instanceof each,
  );
}
