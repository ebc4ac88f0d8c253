import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDatabase, type Database } from 'singlet';
import { measuredSystems } from '../../../systems/measurement/measured-systems.ts';
import { BenchError } from '../bench-error.ts';
import { answerCalls, reportProgress } from '../worker-calls.ts';

const reportEveryItems = 20_000;

export type SystemLoadCalls = typeof calls;

const calls = {
  /** Fills a directory with the sample data of a system. */
  load: async (request: {
    readonly system: string;
    readonly scale: number;
    readonly directory: string;
  }): Promise<{ readonly items: number; readonly seconds: number }> => {
    const { system, scale, directory } = request;
    const measured = measuredSystems.get(system);
    if (measured === undefined) throw new BenchError('missing', `There is no system ${system}.`);
    const startMs = performance.now();
    const database = await createDatabase({ directory });
    const client = directClient(database);
    let items = 0;
    try {
      await measured.load({
        client,
        scale,
        onItems: (count) => {
          const before = Math.floor(items / reportEveryItems);
          items += count;
          if (Math.floor(items / reportEveryItems) > before) reportProgress(`${system}: ${items} items loaded`);
        },
      });
    } finally {
      client.destroy();
      await database.close();
    }
    return { items, seconds: (performance.now() - startMs) / 1000 };
  },
};

/**
 * A client that passes its batches directly to a database in this process. Otherwise most of the load time would be spent on
 * encoding them as JSON, sending signed requests, and decoding them.
 */
function directClient(database: Database): DynamoDBClient {
  const client = new DynamoDBClient(database.clientConfig());
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== 'BatchWriteItemCommand') return await next(args);
        const output = await database.request('BatchWriteItem', args.input);
        // The answer has the members of the command's output, so unprocessed items have the form of the request.
        return { output: { ...(output as object), $metadata: {} } as never, response: undefined };
      },
    { step: 'initialize', priority: 'high', name: 'direct' },
  );
  return client;
}

answerCalls(calls);
