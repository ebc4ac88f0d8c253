import {
  type CreateTableCommandInput,
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListTablesCommand,
  ListTagsOfResourceCommand,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { UsageError } from '../../usage-error.ts';
import type { Place } from './place.ts';

/** How long a table may take to become active, seconds: an index of a large table at Amazon takes long. */
const activeSeconds = 3_600;

/** @throws the endpoint's error. */
export async function tableNamesAt({ client }: Place): Promise<readonly string[]> {
  const names: string[] = [];
  let start: string | undefined;
  do {
    const answer = await client.send(
      new ListTablesCommand(start === undefined ? {} : { ExclusiveStartTableName: start }),
    );
    names.push(...(answer.TableNames ?? []));
    start = answer.LastEvaluatedTableName;
  } while (start !== undefined);
  return names;
}

/** @returns undefined for a table that does not exist. */
export async function tableAt({ client }: Place, tableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: tableName }))).Table;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/** Creates a table like another, and waits until it is active. Time to live is set later ({@link copyTimeToLive}). */
export async function createLike(source: Place, target: Place, table: TableDescription): Promise<void> {
  const { Tags = [] } = await source.client.send(new ListTagsOfResourceCommand({ ResourceArn: table.TableArn }));
  await target.client.send(new CreateTableCommand(definitionOf(table, Tags)));
  await waitUntilTableExists(
    { client: target.client, maxWaitTime: activeSeconds, minDelay: 1, maxDelay: 5 },
    { TableName: table.TableName },
  );
}

function definitionOf(table: TableDescription, Tags: CreateTableCommandInput['Tags']): CreateTableCommandInput {
  const isProvisioned = table.BillingModeSummary?.BillingMode !== 'PAY_PER_REQUEST';
  const units = ({
    ReadCapacityUnits,
    WriteCapacityUnits,
  }: NonNullable<TableDescription['ProvisionedThroughput']>): CreateTableCommandInput['ProvisionedThroughput'] => ({
    ReadCapacityUnits,
    WriteCapacityUnits,
  });
  return {
    TableName: table.TableName,
    AttributeDefinitions: table.AttributeDefinitions,
    KeySchema: table.KeySchema,
    BillingMode: isProvisioned ? 'PROVISIONED' : 'PAY_PER_REQUEST',
    ...(isProvisioned && { ProvisionedThroughput: units(table.ProvisionedThroughput ?? {}) }),
    ...(table.LocalSecondaryIndexes !== undefined && {
      LocalSecondaryIndexes: table.LocalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
        IndexName,
        KeySchema,
        Projection,
      })),
    }),
    ...(table.GlobalSecondaryIndexes !== undefined && {
      GlobalSecondaryIndexes: table.GlobalSecondaryIndexes.map(
        ({ IndexName, KeySchema, Projection, ProvisionedThroughput }) => ({
          IndexName,
          KeySchema,
          Projection,
          ...(isProvisioned && { ProvisionedThroughput: units(ProvisionedThroughput ?? {}) }),
        }),
      ),
    }),
    ...(table.StreamSpecification?.StreamEnabled === true && { StreamSpecification: table.StreamSpecification }),
    ...(table.TableClassSummary?.TableClass !== undefined && { TableClass: table.TableClassSummary.TableClass }),
    ...(table.DeletionProtectionEnabled === true && { DeletionProtectionEnabled: true }),
    ...(Tags !== undefined && Tags.length > 0 && { Tags }),
  };
}

/** @throws {UsageError} if two tables have different keys. */
export function checkSameKeys(source: TableDescription, target: TableDescription): void {
  const text = ({ KeySchema, AttributeDefinitions }: TableDescription): string =>
    JSON.stringify(
      KeySchema?.map(({ AttributeName, KeyType }) => [
        AttributeName,
        KeyType,
        AttributeDefinitions?.find((each) => each.AttributeName === AttributeName)?.AttributeType,
      ]),
    );
  if (text(source) === text(target)) return;
  throw new UsageError(`Table ${source.TableName} exists in the target with another key: move it to an empty place.`);
}

/** The names of the partition key and, if any, the sort key. */
export function keyNamesOf({ KeySchema = [] }: TableDescription): readonly string[] {
  return KeySchema.map(({ AttributeName = '' }) => AttributeName);
}

/**
 * The stream of a table, which is enabled if there is none.
 *
 * @returns whether it was enabled here, so that it can be disabled afterwards.
 */
export async function streamOf(
  { client }: Place,
  table: TableDescription,
): Promise<{ readonly streamArn: string; readonly isNew: boolean }> {
  if (table.StreamSpecification?.StreamEnabled === true && table.LatestStreamArn !== undefined) {
    return { streamArn: table.LatestStreamArn, isNew: false };
  }
  const { TableDescription: changed } = await client.send(
    new UpdateTableCommand({
      TableName: table.TableName,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    }),
  );
  await waitUntilTableExists(
    { client, maxWaitTime: activeSeconds, minDelay: 1, maxDelay: 5 },
    { TableName: table.TableName },
  );
  const streamArn = changed?.LatestStreamArn;
  if (streamArn === undefined) throw new UsageError(`Table ${table.TableName} has no stream, and none can be enabled.`);
  return { streamArn, isNew: true };
}

export async function disableStream({ client }: Place, tableName: string): Promise<void> {
  await client.send(new UpdateTableCommand({ TableName: tableName, StreamSpecification: { StreamEnabled: false } }));
}

/** Enables time to live as in the source. After the comparison, so that nothing expires in the target before it is compared. */
export async function copyTimeToLive(source: Place, target: Place, tableName: string): Promise<void> {
  const describe = async ({ client }: Place): Promise<string | undefined> => {
    const { TimeToLiveDescription: described } = await client.send(
      new DescribeTimeToLiveCommand({ TableName: tableName }),
    );
    const isOn = described?.TimeToLiveStatus === 'ENABLED' || described?.TimeToLiveStatus === 'ENABLING';
    return isOn ? described.AttributeName : undefined;
  };
  const attribute = await describe(source);
  if (attribute === undefined || (await describe(target)) !== undefined) return;
  await target.client.send(
    new UpdateTimeToLiveCommand({
      TableName: tableName,
      TimeToLiveSpecification: { AttributeName: attribute, Enabled: true },
    }),
  );
}
