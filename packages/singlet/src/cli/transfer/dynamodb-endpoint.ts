import type * as Sdk from '@aws-sdk/client-dynamodb';
import { endpointConfig, type EndpointFlags, endpointName, endpointProblem, noTable } from '../endpoint-client.ts';
import { UsageError } from '../usage-error.ts';
import { acceptRequestTexts } from './request-text.ts';

export type SdkLibrary = typeof Sdk;

/** A table at an endpoint that speaks the DynamoDB protocol, accessed through the AWS SDK. */
export interface TableEndpoint {
  readonly sdk: SdkLibrary;
  readonly client: Sdk.DynamoDBClient;
  readonly table: Sdk.TableDescription;
}

/**
 * Finds a table. The SDK is loaded here.
 *
 * @throws {UsageError} if the endpoint does not answer, or the table does not exist.
 */
export async function openTable(tableName: string, flags: EndpointFlags): Promise<TableEndpoint> {
  const sdk = await import('@aws-sdk/client-dynamodb');
  const client = new sdk.DynamoDBClient({
    ...endpointConfig(flags),
    maxAttempts: 8,
    // The middleware does not change between requests.
    cacheMiddleware: true,
  });
  acceptRequestTexts(client);
  try {
    const { Table: table } = await client.send(new sdk.DescribeTableCommand({ TableName: tableName }));
    if (table === undefined) throw new UsageError(`The answer of ${endpointName(flags)} does not describe a table.`);
    return { sdk, client, table };
  } catch (cause) {
    client.destroy();
    if (cause instanceof UsageError) throw cause;
    if (!(cause instanceof sdk.DynamoDBServiceException)) {
      const problem = endpointProblem(cause, flags);
      if (problem instanceof UsageError) throw problem;
    }
    if (cause instanceof sdk.ResourceNotFoundException) throw new UsageError(noTable(tableName, flags), { cause });
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    throw new UsageError(`Table ${tableName} at ${endpointName(flags)} cannot be used: ${reason}`, { cause });
  }
}

/** If the endpoint caused a transfer to fail, explains the error and how to continue. Other errors are returned unchanged. */
export function transferProblem(error: unknown, flags: EndpointFlags): unknown {
  const problem = endpointProblem(error, flags);
  if (problem === error || !(problem instanceof UsageError)) return problem;
  const message = `${problem.message.replace(/\.?$/, '.')} Its progress is saved: repeat the command to continue.`;
  return new UsageError(message, { cause: error });
}
