import {
  DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import { BenchError } from './bench-error.ts';
import { callRing } from './call-ring.ts';
import type { InProcessTarget, RequestRing } from './in-process-target.ts';
import type { WireCall } from './operations.ts';
import type { RingSpec } from './requests.ts';

/** The AWS SDK against external servers: what the client itself costs, and how much of a server's speed remains. */
export function openSdk(): InProcessTarget {
  const clients = new Map<string, DynamoDBClient>();
  const clientOf = (endpoint: string): DynamoDBClient => {
    const known = clients.get(endpoint);
    if (known !== undefined) return known;
    const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };
    const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
    clients.set(endpoint, client);
    return client;
  };
  return {
    load: async () => {
      throw new BenchError('usage', 'The tables of other servers are not loaded through the SDK.');
    },
    ring: (spec, mode) => {
      if (mode.kind !== 'sdk' || mode.endpoint === undefined) throw new BenchError('usage', 'An endpoint is needed.');
      const ring = sdkRing(clientOf(mode.endpoint), spec);
      return mode.isFloor === true ? { ...ring, fault: () => undefined } : ring;
    },
    close: async () => {
      for (const client of clients.values()) client.destroy();
    },
  };
}

/** @throws {BenchError} `usage` for actions that are not measured through the SDK. */
export function sdkRing(client: DynamoDBClient, spec: RingSpec): RequestRing {
  return callRing(spec, { prepare: (call) => call, perform: async (call) => await send(client, call) });
}

async function send(client: DynamoDBClient, { action, input }: WireCall): Promise<unknown> {
  // An operation creates the action's own request shape. Each request gets a new command, as in applications.
  switch (action) {
    case 'GetItem':
      return await client.send(new GetItemCommand(input as unknown as GetItemCommandInput));
    case 'PutItem':
      return await client.send(new PutItemCommand(input as unknown as PutItemCommandInput));
    case 'Query':
      return await client.send(new QueryCommand(input as unknown as QueryCommandInput));
    default:
      throw new BenchError('usage', `${action} is not measured through the SDK.`);
  }
}
