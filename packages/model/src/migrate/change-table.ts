import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { tableDefinitions } from '../resolve/table-definitions.ts';
import { modelOf, type Version } from '../versions/snapshot.ts';
import { MigrationError } from './migration-error.ts';
import type { Traffic } from './traffic.ts';

/** How many times a table that was just created may be reported as missing. */
const unseenMax = 20;

interface Described {
  readonly BillingModeSummary?: { readonly BillingMode?: string };
  readonly ProvisionedThroughput?: { readonly ReadCapacityUnits?: number; readonly WriteCapacityUnits?: number };
  readonly TableStatus?: string;
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName?: string; readonly IndexStatus?: string }[];
  readonly LocalSecondaryIndexes?: readonly { readonly IndexName?: string }[];
}

/** Creates a table of a version, unless it exists, with its time to live. */
export async function createTable(traffic: Traffic, { snapshot, resolved }: Version, table: string): Promise<void> {
  const TableName = traffic.tableName(table);
  const definition = definitionOf(snapshot, table);
  try {
    await traffic.control(async (client) => client.send(new CreateTableCommand({ ...definition, TableName })));
  } catch (error) {
    if ((error as Error).name !== 'ResourceInUseException') throw error; // an earlier attempt created it
  }
  await waitUntilActive(traffic, table);
  const expires = resolved.tables.get(table)?.expires;
  if (expires !== undefined) await switchTimeToLive(traffic, table, expires, true);
}

/** Waits for a table that was just created. The service may not find it at first. */
async function waitUntilActive(traffic: Traffic, table: string): Promise<void> {
  for (let unseen = 0; ; unseen += 1) {
    try {
      await traffic.waitFor(table, (described) => (described as Described).TableStatus === 'ACTIVE');
      return;
    } catch (error) {
      if (!isNotFound(error) || unseen === unseenMax) throw error;
    }
    await traffic.backOff(unseen);
  }
}

/** Creates a global index of a version, unless it exists, and waits until it is active. */
export async function createIndex(
  traffic: Traffic,
  { snapshot }: Version,
  table: string,
  index: string,
): Promise<void> {
  const definition = definitionOf(snapshot, table);
  const Create = definition.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index);
  let known = false;
  let throughput: object = {};
  // One index at a time, and none while another change of the table is running.
  await traffic.waitFor(table, (described) => {
    const { TableStatus, GlobalSecondaryIndexes = [] } = described as Described;
    throughput = throughputOf(described);
    known = GlobalSecondaryIndexes.some(({ IndexName }) => IndexName === index);
    return (
      known || (TableStatus === 'ACTIVE' && GlobalSecondaryIndexes.every(({ IndexStatus }) => IndexStatus === 'ACTIVE'))
    );
  });
  if (!known && Create !== undefined) {
    const keys = new Set(Create.KeySchema?.map(({ AttributeName }) => AttributeName));
    const update = new UpdateTableCommand({
      TableName: traffic.tableName(table),
      AttributeDefinitions: (definition.AttributeDefinitions ?? []).filter(({ AttributeName }) =>
        keys.has(AttributeName),
      ),
      GlobalSecondaryIndexUpdates: [{ Create: { ...Create, ...throughput } }],
    });
    await traffic.control(async (client) => client.send(update));
  }
  await traffic.waitFor(table, (described) => statusOf(described, index) === 'ACTIVE');
}

/** Drops a global index, if it exists, and waits until it is gone. */
export async function dropIndex(traffic: Traffic, table: string, index: string): Promise<void> {
  let status: string | undefined;
  await traffic.waitFor(table, (described) => {
    status = statusOf(described, index);
    return status !== 'CREATING' && (described as Described).TableStatus === 'ACTIVE';
  });
  if (status === undefined) return;
  if (status !== 'DELETING') {
    const update = new UpdateTableCommand({
      TableName: traffic.tableName(table),
      GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: index } }],
    });
    await traffic.control(async (client) => client.send(update));
  }
  await traffic.waitFor(table, (described) => statusOf(described, index) === undefined);
}

/**
 * Enables or disables the expiry of items.
 *
 * @throws {MigrationError} `too-soon` if the setting of the table was changed within the last hour: the service refuses another change.
 */
export async function switchTimeToLive(
  traffic: Traffic,
  table: string,
  AttributeName: string,
  Enabled: boolean,
): Promise<void> {
  try {
    const update = new UpdateTimeToLiveCommand({
      TableName: traffic.tableName(table),
      TimeToLiveSpecification: { AttributeName, Enabled },
    });
    await traffic.control(async (client) => client.send(update));
  } catch (error) {
    const { message } = error as Error;
    if (/multiple times within a fixed interval/i.test(message))
      throw new MigrationError(
        'too-soon',
        `The service changes the time to live of ${table} at most once an hour: wait, and continue with resume.`,
        { cause: error },
      );
    // The service rejects a change to the current setting.
    if (!/already (en|dis)abled/i.test(message)) throw error;
  }
}

/** The names of a table's indexes; none if the table does not exist. */
export async function indexNames(traffic: Traffic, table: string): Promise<readonly string[]> {
  try {
    const describe = new DescribeTableCommand({ TableName: traffic.tableName(table) });
    const { Table } = await traffic.control(async (client) => client.send(describe));
    const { GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] } = (Table ?? {}) as Described;
    return [...GlobalSecondaryIndexes, ...LocalSecondaryIndexes].map(({ IndexName = '' }) => IndexName);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return (error as Error).name === 'ResourceNotFoundException';
}

/** An index of a table with provisioned capacity gets the table's capacity. */
function throughputOf(described: object): object {
  const { BillingModeSummary, ProvisionedThroughput = {} } = described as Described;
  const { ReadCapacityUnits = 0, WriteCapacityUnits = 0 } = ProvisionedThroughput;
  if (BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' || ReadCapacityUnits === 0) return {};
  return { ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits } };
}

function statusOf(described: object, index: string): string | undefined {
  return (described as Described).GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index)?.IndexStatus;
}

function definitionOf(snapshot: Version['snapshot'], table: string): CreateTableCommandInput {
  const [definition] = tableDefinitions(modelOf(snapshot)).filter(({ TableName }) => TableName === table);
  return definition ?? { TableName: table, KeySchema: [], AttributeDefinitions: [] };
}
