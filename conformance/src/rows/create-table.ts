import { anyNumber, anyString, matching, messageContaining, oneOf, partial } from '../matchers.ts';
import type { Matcher } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ALTERNATOR, assumed, CAPTURED_2026, docs, DYNALITE, LOCALSTACK, MOTO, OUTSIDE_2026 } from '../sources.ts';
import { call, createTable, describeTable, put, query } from '../steps.ts';
import { hashTable, rangeTable, table, throughputOf } from '../tables.ts';
import { S } from '../values.ts';

const INVALID = 'One or more parameter values were invalid:';

/** A CreateTable that must be refused. */
function refused(id: string, covers: string, source: string, definition: JsonObject, message: string | Matcher): Row {
  return row(`create-table/${id}`, covers, source, {
    steps: [
      createTable(definition).invalid(message),
      describeTable().fails('ResourceNotFoundException', 'Requested resource not found: Table: $T not found'),
    ],
  });
}

function without(definition: JsonObject, member: string): JsonObject {
  return Object.fromEntries(Object.entries(definition).filter(([name]) => name !== member));
}

const keyElement = (name: string, type: string): JsonObject => ({ AttributeName: name, KeyType: type });
const definitions = (...names: readonly string[]): readonly JsonObject[] =>
  names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));

/** Many global indexes, each on its own attribute or all on one. */
const manyIndexes = (count: number): JsonObject =>
  table('pk:S', { gsis: Object.fromEntries(Array.from({ length: count }, (_, index) => [`gsi${index}`, 'a:S'])) });

export const createTableRows: readonly Row[] = [
  row('create-table/on-demand', 'DB-135 DB-103', docs('API_CreateTable'), {
    steps: [
      createTable(hashTable).gives({
        TableDescription: {
          AttributeDefinitions: definitions('pk'),
          BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
          CreationDateTime: anyNumber,
          DeletionProtectionEnabled: false,
          ItemCount: 0,
          KeySchema: [keyElement('pk', 'HASH')],
          ProvisionedThroughput: { NumberOfDecreasesToday: 0, ReadCapacityUnits: 0, WriteCapacityUnits: 0 },
          TableArn: matching(/^arn:aws:dynamodb:[a-z0-9-]+:\d{12}:table\/.+$/),
          TableId: matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
          TableName: '$T',
          TableSizeBytes: 0,
          TableStatus: 'CREATING',
          TableThroughputModeSummary: oneOfOrAbsent({ TableThroughputMode: 'PAY_PER_REQUEST' }),
          WarmThroughput: oneOfOrAbsent(partial({ ReadUnitsPerSecond: anyNumber, WriteUnitsPerSecond: anyNumber })),
        },
      }),
    ],
  }),
  row('create-table/provisioned', 'DB-135 DB-102', LOCALSTACK, {
    steps: [
      createTable(table('pk:S / sk:N', { throughput: [5, 6] })).gives({
        TableDescription: {
          AttributeDefinitions: [
            { AttributeName: 'pk', AttributeType: 'S' },
            { AttributeName: 'sk', AttributeType: 'N' },
          ],
          CreationDateTime: anyNumber,
          DeletionProtectionEnabled: false,
          ItemCount: 0,
          KeySchema: [keyElement('pk', 'HASH'), keyElement('sk', 'RANGE')],
          ProvisionedThroughput: { NumberOfDecreasesToday: 0, ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
          TableArn: anyString,
          TableId: anyString,
          TableName: '$T',
          TableSizeBytes: 0,
          TableStatus: 'CREATING',
          WarmThroughput: oneOfOrAbsent(partial({ ReadUnitsPerSecond: anyNumber, WriteUnitsPerSecond: anyNumber })),
        },
      }),
    ],
  }),
  row('create-table/with-indexes', 'DB-135 DB-057 DB-068', docs('API_CreateTable'), {
    table: table('pk:S / sk:S', {
      lsis: { lsi1: 'pk:S / l:N | INCLUDE d,e' },
      gsis: { gsi1: 'g:S', gsi2: 'g:S / sk:S | KEYS_ONLY' },
    }),
    steps: [
      describeTable().givesPartly({
        Table: partial({
          TableStatus: 'ACTIVE',
          LocalSecondaryIndexes: [
            {
              IndexName: 'lsi1',
              IndexArn: matching(/:table\/.+\/index\/lsi1$/),
              IndexSizeBytes: 0,
              ItemCount: 0,
              KeySchema: [keyElement('pk', 'HASH'), keyElement('l', 'RANGE')],
              Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['d', 'e'] },
            },
          ],
          GlobalSecondaryIndexes: oneOf(
            [
              globalIndex('gsi1', [keyElement('g', 'HASH')], 'ALL'),
              globalIndex('gsi2', [keyElement('g', 'HASH'), keyElement('sk', 'RANGE')], 'KEYS_ONLY'),
            ],
            [
              globalIndex('gsi2', [keyElement('g', 'HASH'), keyElement('sk', 'RANGE')], 'KEYS_ONLY'),
              globalIndex('gsi1', [keyElement('g', 'HASH')], 'ALL'),
            ],
          ),
        }),
      }),
    ],
  }),
  row('create-table/becomes-active', 'DB-136', docs('API_CreateTable'), {
    steps: [
      createTable(hashTable).succeeds(),
      describeTable({ eventually: true }).givesPartly({ Table: partial({ TableStatus: 'ACTIVE' }) }),
      put({ pk: S('x') }).gives({}),
    ],
  }),
  row('create-table/name-taken', 'DB-135 DB-275', `${DYNALITE}; ${LOCALSTACK}`, {
    table: hashTable,
    steps: [createTable(rangeTable).fails('ResourceInUseException', 'Table already exists: $T')],
  }),
  row('create-table/deletion-protection', 'DB-136', docs('API_CreateTable'), {
    table: table('pk:S', { more: { DeletionProtectionEnabled: false } }),
    steps: [describeTable().givesPartly({ Table: partial({ DeletionProtectionEnabled: false }) })],
  }),

  row('create-table/name-of-two-characters', 'DB-112', `${DYNALITE}; ${CAPTURED_2026}`, {
    steps: [
      createTable(hashTable, { TableName: 'ab' }).invalid(
        oneOf(
          'TableName must be at least 3 characters long and at most 255 characters long',
          "Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3",
        ),
      ),
    ],
  }),
  row('create-table/name-of-256-characters', 'DB-112', DYNALITE, {
    steps: [
      createTable(hashTable, { TableName: 'a'.repeat(256) }).invalid(
        oneOf(
          'TableName must be at least 3 characters long and at most 255 characters long',
          `Value '${'a'.repeat(256)}' at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255`,
        ),
      ),
    ],
  }),
  row('create-table/name-with-a-blank', 'DB-112', DYNALITE, {
    steps: [
      createTable(hashTable, { TableName: 'a b' }).invalid(
        "Value 'a b' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
      ),
    ],
  }),
  row('create-table/name-with-every-legal-character', 'DB-112', docs('Naming rules and data types'), {
    steps: [
      createTable(hashTable, { TableName: '$T.b-c_1' }).givesPartly({
        TableDescription: partial({ TableName: '$T.b-c_1' }),
      }),
      call('DeleteTable', { TableName: '$T.b-c_1' }, { eventually: true }).succeeds(),
    ],
  }),
  refused(
    'index-name-too-short',
    'DB-112',
    DYNALITE,
    table('pk:S', { gsis: { ab: 'a:S' } }),
    "Value 'ab' at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must have length greater than or equal to 3",
  ),
  refused(
    'index-name-with-a-blank',
    'DB-112',
    DYNALITE,
    table('pk:S', { gsis: { 'a b': 'a:S' } }),
    "Value 'a b' at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
  ),
  row('create-table/no-name', 'DB-273', `${DYNALITE}; ${CAPTURED_2026}`, {
    steps: [
      createTable(hashTable, { TableName: undefined }).invalid(
        "The parameter 'TableName' is required but was not present in the request",
      ),
    ],
  }),

  refused(
    'key-attribute-not-defined',
    'DB-053',
    DYNALITE,
    { ...hashTable, AttributeDefinitions: definitions('other') },
    `${INVALID} Some index key attributes are not defined in AttributeDefinitions. Keys: [pk], AttributeDefinitions: [other]`,
  ),
  refused(
    'sort-key-not-defined',
    'DB-053',
    MOTO,
    { ...rangeTable, AttributeDefinitions: definitions('pk') },
    'Invalid KeySchema: Some index key attribute have no definition',
  ),
  refused(
    'index-key-not-defined',
    'DB-053',
    MOTO,
    { ...table('pk:S', { gsis: { gsi1: 'user:S' } }), AttributeDefinitions: definitions('pk') },
    `${INVALID} Some index key attributes are not defined in AttributeDefinitions. Keys: [user], AttributeDefinitions: [pk]`,
  ),
  refused(
    'attribute-defined-but-not-used',
    'DB-053',
    MOTO,
    { ...hashTable, AttributeDefinitions: definitions('pk', 'spare') },
    `${INVALID} Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions`,
  ),
  refused(
    'attribute-defined-but-not-used-with-an-index',
    'DB-053',
    MOTO,
    { ...table('id:S', { gsis: { gsi1: 'user:S' } }), AttributeDefinitions: definitions('id', 'user', 'created') },
    matching(
      new RegExp(
        `^${INVALID} Some AttributeDefinitions are not used\\. AttributeDefinitions: \\[(created|id|user)(, (created|id|user)){2}\\], keys used: \\[(id, user|user, id)\\]$`,
      ),
    ),
  ),

  refused(
    'names-of-a-global-and-a-local-index-too-short',
    'DB-135 DB-270',
    OUTSIDE_2026,
    table('pk:S / sk:S', { gsis: { g: 'a:S' }, lsis: { l: 'b:S' } }),
    matching(
      /^(?:\d+ validation errors? detected: )?Value 'g' at 'globalSecondaryIndexes\.1\.member\.indexName' failed/,
    ),
  ),
  refused(
    'same-attribute-twice',
    'DB-044',
    CAPTURED_2026,
    { ...hashTable, KeySchema: [keyElement('pk', 'HASH'), keyElement('pk', 'RANGE')] },
    'Invalid KeySchema: Some index key attribute have no definition',
  ),
  refused(
    'same-attribute-twice-with-enough-definitions',
    'DB-044',
    DYNALITE,
    {
      ...hashTable,
      AttributeDefinitions: definitions('pk', 'sk'),
      KeySchema: [keyElement('pk', 'HASH'), keyElement('pk', 'RANGE')],
    },
    'Both the Hash Key and the Range Key element in the KeySchema have the same name',
  ),
  refused(
    'first-element-is-no-partition-key',
    'DB-044',
    DYNALITE,
    { ...hashTable, KeySchema: [keyElement('pk', 'RANGE')] },
    'Invalid KeySchema: The first KeySchemaElement is not a HASH key type',
  ),
  refused(
    'second-element-is-no-sort-key',
    'DB-044',
    DYNALITE,
    { ...rangeTable, KeySchema: [keyElement('pk', 'HASH'), keyElement('sk', 'HASH')] },
    'Invalid KeySchema: The second KeySchemaElement is not a RANGE key type',
  ),
  refused(
    'three-key-elements',
    'DB-044',
    CAPTURED_2026,
    { ...table('pk:S / sk:S more:S') },
    messageContaining("at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2"),
  ),
  refused(
    'unknown-key-type',
    'DB-044',
    CAPTURED_2026,
    { ...hashTable, KeySchema: [keyElement('pk', 'INVALID')] },
    "Value 'INVALID' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must satisfy enum value set: [HASH, RANGE]",
  ),
  refused(
    'unknown-attribute-type',
    'DB-037',
    CAPTURED_2026,
    table('pk:X'),
    "Value 'X' at 'attributeDefinitions.1.member.attributeType' failed to satisfy constraint: Member must satisfy enum value set: [B, N, S]",
  ),

  refused(
    'local-index-without-a-table-sort-key',
    'DB-058',
    CAPTURED_2026,
    table('pk:S', { lsis: { lsi1: 'pk:S / l:S' } }),
    `${INVALID} Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex`,
  ),
  refused(
    'local-index-with-another-partition-key',
    'DB-057',
    DYNALITE,
    table('pk:S / sk:S', { lsis: { lsi1: 'sk:S / l:S' } }),
    `${INVALID} Index KeySchema does not have the same leading hash key as table KeySchema for index: lsi1. index hash key: sk, table hash key: pk`,
  ),
  refused(
    'local-index-without-a-sort-key',
    'DB-057',
    DYNALITE,
    table('pk:S / sk:S', { lsis: { lsi1: 'pk:S' } }),
    `${INVALID} Index KeySchema does not have a range key for index: lsi1`,
  ),
  refused(
    'local-index-with-several-sort-attributes',
    'DB-076 DB-057',
    ALTERNATOR,
    table('pk:S / sk:S', { lsis: { lsi1: 'pk:S / l:S m:S' } }),
    anyString,
  ),
  refused(
    'empty-list-of-local-indexes',
    'DB-057',
    MOTO,
    { ...hashTable, LocalSecondaryIndexes: [] },
    `${INVALID} List of LocalSecondaryIndexes is empty`,
  ),
  refused(
    'empty-list-of-global-indexes',
    'DB-057',
    MOTO,
    { ...hashTable, GlobalSecondaryIndexes: [] },
    `${INVALID} List of GlobalSecondaryIndexes is empty`,
  ),
  refused(
    'six-local-indexes',
    'DB-073',
    DYNALITE,
    table('pk:S / sk:S', { lsis: Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`lsi${n}`, 'pk:S / l:S'])) }),
    `${INVALID} Number of LocalSecondaryIndexes exceeds per-table limit of 5`,
  ),
  row('create-table/five-local-indexes', 'DB-073', docs('Service quotas'), {
    table: table('pk:S / sk:S', { lsis: Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`lsi${n}`, 'pk:S / l:S'])) }),
    steps: [
      put({ pk: S('x'), sk: S('y'), l: S('z') }).gives({}),
      query('pk = :p', { ':p': S('x') }, { IndexName: 'lsi5' }).givesPartly({ Count: 1 }),
    ],
  }),
  refused(
    'twenty-one-global-indexes',
    'DB-073',
    DYNALITE,
    manyIndexes(21),
    `${INVALID} GlobalSecondaryIndex count exceeds the per-table limit of 20`,
  ),
  row('create-table/twenty-global-indexes', 'DB-073', docs('Service quotas'), {
    table: manyIndexes(20),
    steps: [
      put({ pk: S('x'), a: S('y') }).gives({}),
      query('a = :a', { ':a': S('y') }, { IndexName: 'gsi19' }).givesPartly({ Count: 1 }),
    ],
  }),
  refused(
    'index-name-taken',
    'DB-057',
    CAPTURED_2026,
    table('pk:S / sk:S', { gsis: { idx1: 'a:S' }, lsis: { idx1: 'pk:S / l:S' } }),
    `${INVALID} Duplicate index name: idx1`,
  ),
  refused(
    'projection-type-missing',
    'DB-068',
    DYNALITE,
    {
      ...hashTable,
      AttributeDefinitions: definitions('pk', 'a'),
      GlobalSecondaryIndexes: [{ IndexName: 'gsi1', KeySchema: [keyElement('a', 'HASH')], Projection: {} }],
    },
    `${INVALID} Unknown ProjectionType: null`,
  ),
  refused(
    'projected-attributes-without-include',
    'DB-068',
    DYNALITE,
    table('pk:S', { gsis: { gsi1: 'a:S | KEYS_ONLY b' } }),
    `${INVALID} ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified`,
  ),
  refused(
    'include-without-projected-attributes',
    'DB-068',
    docs('API_Projection'),
    table('pk:S', { gsis: { gsi1: 'a:S | INCLUDE' } }),
    `${INVALID} ProjectionType is INCLUDE, but NonKeyAttributes is not specified`,
  ),
  refused(
    'more-than-a-hundred-projected-attributes',
    'DB-068',
    `${docs('Service quotas')}; ${assumed('the message')}`,
    table('pk:S', {
      gsis: Object.fromEntries(
        [0, 1, 2, 3, 4, 5].map((index) => [
          `gsi${index}`,
          `a:S | INCLUDE ${Array.from({ length: index === 5 ? 1 : 20 }, (_, n) => `n${index}x${n}`).join(',')}`,
        ]),
      ),
    }),
    messageContaining('NonKeyAttributes'),
  ),
  refused(
    'projected-attribute-name-too-long',
    'DB-113',
    ALTERNATOR,
    table('pk:S', { gsis: { gsi1: `a:S | INCLUDE ${'n'.repeat(256)}` } }),
    messageContaining('255'),
  ),
  refused('key-attribute-name-too-long', 'DB-113', ALTERNATOR, table(`${'n'.repeat(256)}:S`), messageContaining('255')),
  row('create-table/longest-key-attribute-name', 'DB-113', ALTERNATOR, {
    table: table(`${'n'.repeat(255)}:S`),
    steps: [put({ ['n'.repeat(255)]: S('x') }).gives({})],
  }),

  refused(
    'on-demand-with-throughput',
    'DB-103',
    LOCALSTACK,
    { ...hashTable, ProvisionedThroughput: throughputOf([1, 1]) },
    `${INVALID} Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST`,
  ),
  refused(
    'provisioned-without-throughput',
    'DB-102',
    DYNALITE,
    { ...hashTable, BillingMode: 'PROVISIONED' },
    `${INVALID} ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED`,
  ),
  refused(
    'neither-mode-nor-throughput',
    'DB-102',
    DYNALITE,
    without(hashTable, 'BillingMode'),
    `${INVALID} ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED`,
  ),
  refused(
    'on-demand-with-index-throughput',
    'DB-103 DB-062',
    DYNALITE,
    {
      ...hashTable,
      AttributeDefinitions: definitions('pk', 'a'),
      GlobalSecondaryIndexes: [
        {
          IndexName: 'gsi1',
          KeySchema: [keyElement('a', 'HASH')],
          Projection: { ProjectionType: 'ALL' },
          ProvisionedThroughput: throughputOf([1, 1]),
        },
      ],
    },
    `${INVALID} ProvisionedThroughput should not be specified for index: gsi1 when BillingMode is PAY_PER_REQUEST`,
  ),
  refused(
    'zero-read-units',
    'DB-106',
    DYNALITE,
    { ...without(hashTable, 'BillingMode'), ProvisionedThroughput: throughputOf([0, 1]) },
    "Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: Member must have value greater than or equal to 1",
  ),
  refused(
    'throughput-out-of-bounds',
    'DB-106',
    DYNALITE,
    { ...without(hashTable, 'BillingMode'), ProvisionedThroughput: throughputOf([1_000_000_000_001, 1]) },
    'Given value 1000000000001 for ReadCapacityUnits is out of bounds',
  ),
  refused(
    'unknown-billing-mode',
    'DB-102',
    CAPTURED_2026,
    { ...hashTable, BillingMode: 'INVALID_MODE' },
    messageContaining(
      "at 'billingMode' failed to satisfy constraint: Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]",
    ),
  ),
];

function globalIndex(name: string, keySchema: readonly JsonObject[], projectionType: string): Matcher {
  return partial({
    IndexName: name,
    IndexArn: anyString,
    IndexSizeBytes: 0,
    IndexStatus: 'ACTIVE',
    ItemCount: 0,
    KeySchema: keySchema,
    Projection: { ProjectionType: projectionType },
  });
}

/** A member that newer answers have and older recordings lack. */
function oneOfOrAbsent(value: unknown): Matcher {
  return oneOf(undefined, value);
}
