import type * as Sdk from '@aws-sdk/client-dynamodb';
import { endpointProblem } from '../endpoint-client.ts';
import { isLoopbackHost } from '../loopback.ts';
import { UsageError } from '../usage-error.ts';
import { acceptRequestTexts } from './request-text.ts';

export type SdkLibrary = typeof Sdk;

export interface EndpointFlags {
  readonly endpoint?: string;
  readonly region?: string;
}

/** A table at an endpoint, through the AWS SDK: Singlet, or any other that speaks the protocol. */
export interface TableEndpoint {
  readonly sdk: SdkLibrary;
  readonly client: Sdk.DynamoDBClient;
  readonly table: Sdk.TableDescription;
}

/**
 * Finds a table. The SDK is loaded here, and takes credentials where it always does; an endpoint on this machine is asked with
 * made-up ones when there are none.
 *
 * @throws {UsageError} when the endpoint does not answer, or has no such table.
 */
export async function openTable(tableName: string, { endpoint, region }: EndpointFlags): Promise<TableEndpoint> {
  const sdk = await import('@aws-sdk/client-dynamodb');
  const client = new sdk.DynamoDBClient({
    region: region ?? process.env['AWS_REGION'] ?? 'us-east-1',
    maxAttempts: 8,
    // How requests are made does not change from one to the next.
    cacheMiddleware: true,
    ...(endpoint !== undefined && { endpoint }),
    ...(needsNoCredentials(endpoint) && { credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }),
  });
  acceptRequestTexts(client);
  try {
    const { Table: table } = await client.send(new sdk.DescribeTableCommand({ TableName: tableName }));
    if (table === undefined) throw new UsageError(`The answer of ${endpoint ?? 'DynamoDB'} describes no table.`);
    return { sdk, client, table };
  } catch (cause) {
    client.destroy();
    if (cause instanceof UsageError) throw cause;
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    throw new UsageError(`Table ${tableName} at ${endpoint ?? 'DynamoDB'} cannot be used: ${reason}`, { cause });
  }
}

/** Says plainly what ended a transfer, where that is the endpoint, and how to go on. Errors of other kinds go on as they are. */
export function transferProblem(error: unknown, { endpoint = 'Amazon DynamoDB' }: EndpointFlags): unknown {
  const problem = endpointProblem(error, endpoint);
  if (problem === error || !(problem instanceof UsageError)) return problem;
  const message = `${problem.message.replace(/\.?$/, '.')} How far it came is remembered: the same command goes on from there.`;
  return new UsageError(message, { cause: error });
}

function needsNoCredentials(endpoint: string | undefined): boolean {
  const hasSome = process.env['AWS_ACCESS_KEY_ID'] !== undefined || process.env['AWS_PROFILE'] !== undefined;
  return !hasSome && endpoint !== undefined && isLoopbackHost(new URL(endpoint).hostname);
}
