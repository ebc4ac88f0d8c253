import { anyNumber, matching, messageContaining, oneOf, partial } from '../matchers.ts';
import type { CheckContext, CheckStep, JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ACK_2026, assumed, docs, MOTO } from '../sources.ts';
import { call, check, describeTable, get, put, remove, scan, update } from '../steps.ts';
import type { Call } from '../steps.ts';
import { hashTable, table } from '../tables.ts';
import { N, S } from '../values.ts';

const BACKUPS = docs('Backup and restore for DynamoDB');
const RECOVERY = docs('Point-in-time backups for DynamoDB');

/** Repeated while DynamoDB answers that backups are being enabled for a new table. */
const backup = (saves: Readonly<Record<string, string>> = {}): Call =>
  call('CreateBackup', { TableName: '$T', BackupName: 'conf-backup' }, { eventually: true, saves });
const backupAs = (name: string): Call => backup({ [name]: 'BackupDetails.BackupArn' });
const describeBackup = (arn = '$arn'): Call => call('DescribeBackup', { BackupArn: arn });
const isAvailable = call('DescribeBackup', { BackupArn: '$arn' }, { eventually: true }).givesPartly({
  BackupDescription: partial({ BackupDetails: partial({ BackupStatus: 'AVAILABLE' }) }),
});
const deleteBackup = (arn = '$arn'): Call => call('DeleteBackup', { BackupArn: arn });
const restoreFrom = (more: JsonObject = {}): Call =>
  call('RestoreTableFromBackup', { TargetTableName: '$U', BackupArn: '$arn', ...more });
const restoreTo = (more: JsonObject): Call =>
  call('RestoreTableToPointInTime', { SourceTableName: '$T', TargetTableName: '$U', ...more });
const recovery = (PointInTimeRecoveryEnabled: boolean, more: JsonObject = {}): Call =>
  call(
    'UpdateContinuousBackups',
    { TableName: '$T', PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled, ...more } },
    { eventually: true },
  );
const describeRecovery = call('DescribeContinuousBackups', { TableName: '$T' });
const recovered = (description: JsonObject): JsonObject => ({
  ContinuousBackupsDescription: { ContinuousBackupsStatus: 'ENABLED', PointInTimeRecoveryDescription: description },
});

/** A restore may take minutes in DynamoDB. */
async function untilRestored({ succeed, expect }: CheckContext): Promise<void> {
  const deadline = Date.now() + 15 * 60_000;
  for (;;) {
    const { Table } = (await succeed('DescribeTable', { TableName: '$U' })) as { readonly Table: JsonObject };
    if (Table['TableStatus'] === 'ACTIVE') {
      expect('nothing of the restore is left', Table['RestoreSummary'], undefined);
      return;
    }
    expect('it is being restored', Table['RestoreSummary'], partial({ RestoreInProgress: true }));
    if (Date.now() > deadline) expect('status', Table['TableStatus'], 'ACTIVE');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
const restored: CheckStep = check('the table $U is restored', untilRestored);

const restoredItems = (...found: readonly JsonObject[]): CheckStep =>
  check('the items of $U', async ({ succeed, expect }) => {
    const { Items } = await succeed('Scan', { TableName: '$U', ConsistentRead: true });
    const byKey = (a: JsonObject, b: JsonObject): number =>
      JSON.stringify(a['pk']) < JSON.stringify(b['pk']) ? -1 : 1;
    expect('items', (Items as readonly JsonObject[]).toSorted(byKey), found);
  });

const later = (seconds: number): CheckStep =>
  check(`${seconds} seconds later`, ({ advanceClock }) => Promise.resolve(advanceClock(seconds * 1000)));

const fullTable = table('pk:S', {
  gsis: { gsi1: 'g:S | KEYS_ONLY' },
  throughput: [5, 6],
  more: {
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    SSESpecification: { Enabled: true },
  },
});

const vectorIndex = {
  IndexName: 'vix',
  VectorAttribute: { AttributeName: 'embedding' },
  Dimensions: 3,
  DistanceFunction: 'COSINE',
  Projection: { ProjectionType: 'ALL' },
};

const nowhere = 'arn:aws:dynamodb:us-east-1:000000000000:table/conf-nowhere';

export const backupRows: readonly Row[] = [
  row('backups/created', 'DB-016 DB-139', `${BACKUPS}; ${ACK_2026}`, {
    table: hashTable,
    steps: [
      backupAs('arn').gives({
        BackupDetails: {
          BackupArn: matching(/:table\/conf-[^/]+\/backup\/\d{14}-[0-9a-f]{8}$/),
          BackupName: 'conf-backup',
          BackupSizeBytes: anyNumber,
          BackupStatus: 'CREATING',
          BackupType: 'USER',
          BackupCreationDateTime: anyNumber,
        },
      }),
      isAvailable,
      deleteBackup().succeeds(),
    ],
  }),
  row('backups/described', 'DB-139', ACK_2026, {
    needs: ['encryption'],
    table: fullTable,
    steps: [
      backupAs('arn').succeeds(),
      isAvailable,
      describeBackup().gives({
        BackupDescription: {
          BackupDetails: partial({ BackupArn: '$arn', BackupStatus: 'AVAILABLE', BackupType: 'USER' }),
          SourceTableDetails: {
            TableName: '$T',
            TableId: matching(/^[0-9a-f-]{36}$/),
            TableArn: matching(/:table\/conf-/),
            TableSizeBytes: 0,
            KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
            TableCreationDateTime: anyNumber,
            ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
            ItemCount: 0,
            BillingMode: 'PROVISIONED',
          },
          SourceTableFeatureDetails: {
            GlobalSecondaryIndexes: [
              {
                IndexName: 'gsi1',
                KeySchema: [{ AttributeName: 'g', KeyType: 'HASH' }],
                Projection: { ProjectionType: 'KEYS_ONLY' },
                ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
              },
            ],
            StreamDescription: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
            SSEDescription: partial({ Status: 'ENABLED', SSEType: 'KMS' }),
          },
        },
      }),
      deleteBackup().succeeds(),
    ],
  }),
  row('backups/features-are-mentioned-only-when-there', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      backupAs('arn').succeeds(),
      isAvailable,
      describeBackup().givesPartly({ BackupDescription: partial({ SourceTableFeatureDetails: {} }) }),
      deleteBackup().succeeds(),
    ],
  }),
  row('backups/deleted', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      backupAs('arn').succeeds(),
      isAvailable,
      deleteBackup().givesPartly({
        BackupDescription: partial({ BackupDetails: partial({ BackupStatus: 'DELETED' }) }),
      }),
      describeBackup().fails('BackupNotFoundException', 'Backup not found: $arn'),
      deleteBackup().fails('BackupNotFoundException', 'Backup not found: $arn'),
      restoreFrom().fails('BackupNotFoundException', 'Backup not found: $arn'),
      call('ListBackups', { TableName: '$T' }).gives({ BackupSummaries: [] }),
    ],
  }),
  row('backups/names-are-not-unique', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      backupAs('arn').succeeds(),
      backupAs('again').succeeds(),
      check('both are listed, the older first, a page each', async ({ succeed, expect }) => {
        const first = await succeed('ListBackups', { TableName: '$T', Limit: 1 });
        expect('first page', first, {
          BackupSummaries: [
            partial({ BackupArn: oneOf('$arn', '$again'), BackupName: 'conf-backup', TableName: '$T' }),
          ],
          LastEvaluatedBackupArn: oneOf('$arn', '$again'),
        });
        const start = { ExclusiveStartBackupArn: first['LastEvaluatedBackupArn'], Limit: 1 };
        const second = await succeed('ListBackups', { TableName: '$T', ...start });
        expect('second page', second, { BackupSummaries: [partial({ BackupArn: oneOf('$arn', '$again') })] });
      }),
      call('DescribeBackup', { BackupArn: '$again' }, { eventually: true }).givesPartly({
        BackupDescription: partial({ BackupDetails: partial({ BackupStatus: 'AVAILABLE' }) }),
      }),
      isAvailable,
      deleteBackup().succeeds(),
      deleteBackup('$again').succeeds(),
    ],
  }),
  row('backups/restored', 'DB-016', BACKUPS, {
    table: hashTable,
    items: [
      { pk: S('a'), v: N(1) },
      { pk: S('b'), v: N(1) },
    ],
    steps: [
      backupAs('arn').succeeds(),
      isAvailable,
      put({ pk: S('a'), v: N(2) }).succeeds(),
      remove({ pk: S('b') }).succeeds(),
      put({ pk: S('c') }).succeeds(),
      restoreFrom().givesPartly({
        TableDescription: partial({
          TableName: '$U',
          TableStatus: 'CREATING',
          RestoreSummary: {
            SourceBackupArn: '$arn',
            SourceTableArn: matching(/:table\/conf-.*-T$/),
            RestoreDateTime: anyNumber,
            RestoreInProgress: true,
          },
        }),
      }),
      restored,
      restoredItems({ pk: S('a'), v: N(1) }, { pk: S('b'), v: N(1) }),
      deleteBackup().succeeds(),
    ],
  }),
  row('backups/restored-with-indexes-or-without', 'DB-016', ACK_2026, {
    table: table('pk:S', { gsis: { gsi1: 'g:S' } }),
    items: [{ pk: S('a'), g: S('x') }],
    steps: [
      backupAs('arn').succeeds(),
      isAvailable,
      restoreFrom({
        GlobalSecondaryIndexOverride: [
          {
            IndexName: 'gsi-new',
            KeySchema: [{ AttributeName: 'g', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      }).succeeds(),
      restored,
      check('the index has another name, and the item', async ({ succeed, expect }) => {
        const found = await succeed('Scan', { TableName: '$U', IndexName: 'gsi-new' });
        expect('items', found['Items'], [{ pk: S('a'), g: S('x') }]);
      }),
      call('DeleteTable', { TableName: '$U' }).succeeds(),
      call('DescribeTable', { TableName: '$U' }, { eventually: true }).fails(
        'ResourceNotFoundException',
        'Requested resource not found: Table: $U not found',
      ),
      restoreFrom({ GlobalSecondaryIndexOverride: [] }).succeeds(),
      restored,
      check('there is none', async ({ succeed, expect }) => {
        const { Table } = await succeed('DescribeTable', { TableName: '$U' });
        expect('indexes', (Table as JsonObject)['GlobalSecondaryIndexes'], undefined);
      }),
      deleteBackup().succeeds(),
    ],
  }),
  row('backups/restored-with-vector-indexes-or-without', 'DB-016', docs('API_RestoreTableFromBackup'), {
    table: table('pk:S', { more: { VectorIndexes: [vectorIndex] } }),
    steps: [
      backupAs('arn').succeeds(),
      isAvailable,
      restoreFrom({ VectorIndexOverride: [{ ...vectorIndex, Dimensions: 4 }] }).invalid(
        messageContaining('does not match'),
      ),
      restoreFrom({ VectorIndexOverride: [] }).succeeds(),
      restored,
      check('there is none', async ({ succeed, expect }) => {
        const { Table } = await succeed('DescribeTable', { TableName: '$U' });
        expect('indexes', (Table as JsonObject)['VectorIndexes'], undefined);
      }),
      deleteBackup().succeeds(),
    ],
  }),
  row('backups/overrides-that-do-not-go-together', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      backupAs('arn').succeeds(),
      isAvailable,
      restoreFrom({ ProvisionedThroughputOverride: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } }).invalid(
        messageContaining('Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED'),
      ),
      restoreFrom({ BillingModeOverride: 'PROVISIONED' }).invalid(
        messageContaining('Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED'),
      ),
      restoreFrom({
        GlobalSecondaryIndexOverride: [
          {
            IndexName: 'gsi1',
            KeySchema: [{ AttributeName: 'g', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      }).invalid(
        messageContaining(
          'Index gsi1 does not match a secondary index that existed in the source table and cannot be created during the restore operation',
        ),
      ),
      call('RestoreTableFromBackup', { TargetTableName: '$T', BackupArn: '$arn' }).fails(
        'TableAlreadyExistsException',
        'Table already exists: $T',
      ),
      deleteBackup().succeeds(),
    ],
  }),
  row('backups/of-no-table', 'DB-139', ACK_2026, {
    steps: [
      call('CreateBackup', { TableName: '$T', BackupName: 'conf-backup' }).fails(
        'TableNotFoundException',
        'Table not found: $T',
      ),
      recovery(true).fails('TableNotFoundException', 'Table not found: $T'),
      describeRecovery.fails('TableNotFoundException', 'Table not found: $T'),
      call('ListBackups', { TableName: '$T' }).gives({ BackupSummaries: [] }),
      restoreTo({ UseLatestRestorableTime: true }).fails('TableNotFoundException', 'Table not found: $T'),
    ],
  }),
  row('backups/arns-that-are-none', 'DB-139', ACK_2026, {
    steps: [
      describeBackup(nowhere).invalid('Invalid Backup ARN'),
      deleteBackup(nowhere).invalid('Invalid Backup ARN'),
      call('RestoreTableFromBackup', { TargetTableName: '$T', BackupArn: nowhere }).invalid('Invalid Backup ARN'),
    ],
  }),
  row('backups/list-with-an-inverted-time-range', 'DB-139', ACK_2026, {
    steps: [
      call('ListBackups', { TimeRangeLowerBound: 2, TimeRangeUpperBound: 1 }).invalid(
        messageContaining('Time range lower bound must be less than or equal to upper bound'),
      ),
    ],
  }),
  row('backups/shapes', 'DB-139', docs('API_CreateBackup'), {
    steps: [
      call('ListBackups', { Limit: 101 }).invalid(
        messageContaining('Member must have value less than or equal to 100'),
      ),
      call('ListBackups', { BackupType: 'BOGUS' }).invalid(messageContaining('Member must satisfy enum value set')),
      call('CreateBackup', { TableName: '$T', BackupName: 'x' }).invalid(
        messageContaining('Member must have length greater than or equal to 3'),
      ),
      recovery(true, { RecoveryPeriodInDays: 36 }).invalid(
        messageContaining('Member must have value less than or equal to 35'),
      ),
    ],
  }),
  row('backups/of-a-table-deleted-with-recovery', 'DB-016', ACK_2026, {
    table: hashTable,
    items: [{ pk: S('a') }],
    steps: [
      recovery(true).succeeds(),
      call('DeleteTable', { TableName: '$T' }).succeeds(),
      call('ListBackups', { TableName: '$T' }).gives({ BackupSummaries: [] }),
      call(
        'ListBackups',
        { TableName: '$T', BackupType: 'SYSTEM' },
        { eventually: true, saves: { arn: 'BackupSummaries.0.BackupArn' } },
      ).gives({
        BackupSummaries: [
          partial({
            BackupName: '$T$DeletedTableBackup',
            BackupArn: matching(/-00000000$/),
            BackupType: 'SYSTEM',
            BackupStatus: 'AVAILABLE',
            BackupExpiryDateTime: anyNumber,
          }),
        ],
      }),
      deleteBackup().invalid(
        messageContaining(
          'User is not allowed to delete the system backup with arn $arn. It will automatically expire on ',
        ),
      ),
      restoreFrom().succeeds(),
      restored,
      restoredItems({ pk: S('a') }),
    ],
  }),
  row('recovery/off-at-first', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      call('DescribeContinuousBackups', { TableName: '$T' }, { eventually: true }).gives(
        recovered({ PointInTimeRecoveryStatus: 'DISABLED' }),
      ),
    ],
  }),
  row('recovery/on-and-off', 'DB-016 DB-139', `${RECOVERY}; ${ACK_2026}`, {
    table: hashTable,
    steps: [
      recovery(true).gives(
        recovered({
          PointInTimeRecoveryStatus: 'ENABLED',
          RecoveryPeriodInDays: 35,
          EarliestRestorableDateTime: anyNumber,
          LatestRestorableDateTime: anyNumber,
        }),
      ),
      recovery(true, { RecoveryPeriodInDays: 7 }).succeeds(),
      describeRecovery.givesPartly({
        ContinuousBackupsDescription: partial({
          PointInTimeRecoveryDescription: partial({ RecoveryPeriodInDays: 7 }),
        }),
      }),
      recovery(false, { RecoveryPeriodInDays: 7 }).invalid(
        'Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.',
      ),
      recovery(false).gives(recovered({ PointInTimeRecoveryStatus: 'DISABLED' })),
    ],
  }),
  row('recovery/must-be-on', 'DB-139', `${MOTO}; ${ACK_2026}`, {
    table: hashTable,
    steps: [
      restoreTo({ UseLatestRestorableTime: true }).fails(
        'PointInTimeRecoveryUnavailableException',
        messageContaining("Point in time recovery is not enabled for table '"),
      ),
    ],
  }),
  row('recovery/to-a-second-between-two-writes', 'DB-016', RECOVERY, {
    needs: ['clock'],
    table: hashTable,
    steps: [
      recovery(true).succeeds(),
      later(10),
      put({ pk: S('first') }).succeeds(),
      later(10),
      check('a time between two writes', async ({ succeed, expect, advanceClock }) => {
        const { ContinuousBackupsDescription } = await succeed('DescribeContinuousBackups', { TableName: '$T' });
        const { PointInTimeRecoveryDescription: described } = ContinuousBackupsDescription as {
          readonly PointInTimeRecoveryDescription: { readonly LatestRestorableDateTime: number };
        };
        // That second may be this very millisecond, and includes what is written in it.
        advanceClock(1);
        await succeed('PutItem', {
          TableName: '$T',
          Item: { pk: S('key'), at: N(described.LatestRestorableDateTime) },
        });
        expect('a whole second', described.LatestRestorableDateTime % 1, 0);
      }),
      later(10),
      put({ pk: S('second') }).succeeds(),
      update({ pk: S('first') }, 'SET v = :v', { ExpressionAttributeValues: { ':v': N(2) } }).succeeds(),
      check('restored to then', async ({ succeed }) => {
        const { Item } = (await succeed('GetItem', { TableName: '$T', Key: { pk: S('key') } })) as {
          readonly Item: { readonly at: { readonly N: string } };
        };
        await succeed('RestoreTableToPointInTime', {
          SourceTableName: '$T',
          TargetTableName: '$U',
          RestoreDateTime: Number(Item.at.N),
        });
      }),
      restored,
      restoredItems({ pk: S('first') }),
      get({ pk: S('second') }).gives({ Item: { pk: S('second') } }),
    ],
  }),
  row(
    'recovery/to-the-latest-time',
    'DB-016',
    assumed('the latest time is the present one; at the service it is five minutes ago'),
    {
      needs: ['clock'],
      table: hashTable,
      items: [{ pk: S('a') }],
      steps: [
        recovery(true).succeeds(),
        put({ pk: S('b') }).succeeds(),
        restoreTo({ UseLatestRestorableTime: true }).succeeds(),
        restored,
        restoredItems({ pk: S('a') }, { pk: S('b') }),
        scan().givesPartly({ Count: 2 }),
      ],
    },
  ),
  row('recovery/times-outside-of-the-window', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      recovery(true).succeeds(),
      restoreTo({ RestoreDateTime: 0 }).fails(
        'InvalidRestoreTimeException',
        messageContaining("RestoreDateTime '1970-01-01T00:00:00Z' must be within EarliestRestorableDateTime '"),
      ),
      restoreTo({ RestoreDateTime: 4_102_444_800 }).fails(
        'InvalidRestoreTimeException',
        messageContaining("RestoreDateTime '2100-01-01T00:00:00Z' must be within EarliestRestorableDateTime '"),
      ),
      // The time is checked before the target.
      restoreTo({ RestoreDateTime: 0, TargetTableName: '$T' }).fails(
        'InvalidRestoreTimeException',
        messageContaining('must be within'),
      ),
      restoreTo({ UseLatestRestorableTime: true, TargetTableName: '$T' }).fails(
        'TableAlreadyExistsException',
        'Table already exists: $T',
      ),
      describeTable().succeeds(),
    ],
  }),
  row('recovery/source-and-time-are-given-once', 'DB-139', ACK_2026, {
    table: hashTable,
    steps: [
      restoreTo({}).invalid(
        'Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both',
      ),
      restoreTo({ UseLatestRestorableTime: true, RestoreDateTime: 1 }).invalid(
        messageContaining(
          'Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore request. Pleas',
        ),
      ),
      restoreTo({ UseLatestRestorableTime: true, SourceTableArn: nowhere }).invalid(
        messageContaining('Must provide exactly one of: sourceTableArn, sourceTableName'),
      ),
      call('RestoreTableToPointInTime', { TargetTableName: '$U', UseLatestRestorableTime: true }).invalid(
        messageContaining("The parameter 'TableName' is required"),
      ),
    ],
  }),
];
