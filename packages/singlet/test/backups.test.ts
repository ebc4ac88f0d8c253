import {
  CreateBackupCommand,
  CreateTableCommand,
  DescribeBackupCommand,
  DescribeContinuousBackupsCommand,
  DynamoDBClient,
  ListBackupsCommand,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database, type DatabaseServer, serve } from '../src/index.ts';

const TableName = 'Orders';

describe.each(['in process', 'over HTTP'])('DB-016 the AWS SDK backs up and restores %s', (way) => {
  let database: Database;
  let server: DatabaseServer | undefined;
  let client: DynamoDBClient;
  let items: DynamoDBDocumentClient;
  let nowMs = Date.parse('2026-01-01T00:00:00.250Z');

  beforeAll(async () => {
    database = await createDatabase({ clock: { nowMs: () => nowMs } });
    server = way === 'over HTTP' ? await serve(database, { port: 0 }) : undefined;
    client = new DynamoDBClient(
      server === undefined
        ? database.clientConfig()
        : { endpoint: server.url, region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } },
    );
    items = DynamoDBDocumentClient.from(client);
    await client.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
  });

  afterAll(async () => {
    client.destroy();
    await server?.close();
    await database.close();
  });

  const put = (pk: string): Promise<unknown> => items.send(new PutCommand({ TableName, Item: { pk } }));

  const keysOf = async (tableName: string): Promise<readonly string[]> => {
    await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.01, maxDelay: 0.01 }, { TableName: tableName });
    const { Items = [] } = await items.send(new ScanCommand({ TableName: tableName }));
    return Items.map(({ pk }) => String(pk)).toSorted();
  };

  test('a backup', async () => {
    await put('a');
    const { BackupDetails } = await client.send(new CreateBackupCommand({ TableName, BackupName: 'before' }));
    expect(BackupDetails?.BackupCreationDateTime).toEqual(new Date(nowMs));
    await put('b');
    const BackupArn = BackupDetails?.BackupArn;
    for (;;) {
      const { BackupDescription } = await client.send(new DescribeBackupCommand({ BackupArn }));
      if (BackupDescription?.BackupDetails?.BackupStatus === 'AVAILABLE') break;
      await turn();
    }
    await client.send(new RestoreTableFromBackupCommand({ BackupArn, TargetTableName: 'Restored' }));
    expect(await keysOf('Restored')).toEqual(['a']);
    const { BackupSummaries } = await client.send(new ListBackupsCommand({ TableName }));
    expect(BackupSummaries).toMatchObject([{ BackupName: 'before', TableName, BackupStatus: 'AVAILABLE' }]);
  });

  test('a point in time', async () => {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
    nowMs += 10_000;
    await put('c');
    nowMs += 10_000;
    const { ContinuousBackupsDescription } = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
    const { EarliestRestorableDateTime, LatestRestorableDateTime } =
      ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
    expect(EarliestRestorableDateTime).toEqual(new Date('2026-01-01T00:00:00Z'));
    expect(LatestRestorableDateTime).toEqual(new Date('2026-01-01T00:00:20Z'));
    nowMs += 10_000;
    await put('d');
    for (const [at, keys] of [
      [EarliestRestorableDateTime, ['a', 'b']],
      [LatestRestorableDateTime, ['a', 'b', 'c']],
    ] as const) {
      const TargetTableName = `Restored-${at?.getTime()}`;
      await client.send(
        new RestoreTableToPointInTimeCommand({ SourceTableName: TableName, TargetTableName, RestoreDateTime: at }),
      );
      expect(await keysOf(TargetTableName)).toEqual(keys);
    }
  });
});
