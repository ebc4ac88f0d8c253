import { DynamoDBClient, GetItemCommand, type GetItemCommandInput } from '@aws-sdk/client-dynamodb';
import { BenchError } from './bench-error.ts';
import type { InProcessTarget } from './in-process-target.ts';
import { objectRing } from './object-ring.ts';
import { requestsOf } from './requests.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';
import type { WireObject } from './workload.ts';

/** The AWS SDK against servers elsewhere: what the client itself costs, and what is left of a server's speed. */
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
    ring: async (scenario, mode, itemCount) => {
      if (mode.kind !== 'sdk' || mode.endpoint === undefined) throw new BenchError('usage', 'An endpoint is needed.');
      const call = sdkCall(clientOf(mode.endpoint), scenario);
      return objectRing(call, scenarios[scenario], requestsOf(scenarios[scenario], itemCount, 1));
    },
    close: async () => {
      for (const client of clients.values()) client.destroy();
    },
  };
}

/** @throws {BenchError} `usage` for scenarios that are not measured through the SDK. */
export function sdkCall(client: DynamoDBClient, scenario: ScenarioName): (input: WireObject) => Promise<unknown> {
  if (scenario !== 'get') throw new BenchError('usage', 'Only GetItem is measured through the SDK.');
  // The scenario makes the action's own request shape.
  return async (input) => await client.send(new GetItemCommand(input as unknown as GetItemCommandInput));
}
