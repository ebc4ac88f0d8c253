import { anyString, matching, partial } from '../matchers.ts';
import type { JsonObject, RequestStep, Row } from '../row.ts';
import { row } from '../row.ts';
import { ACK_2026, docs } from '../sources.ts';
import { call, createTable, describeTable } from '../steps.ts';
import type { Call } from '../steps.ts';
import { hashTable, table } from '../tables.ts';

const unknownTableClass =
  'Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].';

/** Table class, encryption at rest and deletion protection: what a template sets and reads back. */

const INVALID = 'One or more parameter values were invalid: ';

const updateTable = (changes: JsonObject): Call => call('UpdateTable', { TableName: '$T', ...changes });

const encrypted: JsonObject = {
  SSEDescription: {
    Status: 'ENABLED',
    SSEType: 'KMS',
    KMSMasterKeyArn: matching(/^arn:aws:kms:[^:]+:\d{12}:key\/[0-9a-f-]{36}$/),
  },
};

const described = (members: JsonObject): RequestStep =>
  describeTable({ eventually: true }).givesPartly({ Table: partial(members) });

export const classAndEncryptionRows: readonly Row[] = [
  row('table-class/given-at-creation', 'DB-135', docs('API_CreateTable'), {
    table: table('pk:S', { more: { TableClass: 'STANDARD_INFREQUENT_ACCESS' } }),
    steps: [described({ TableClassSummary: { TableClass: 'STANDARD_INFREQUENT_ACCESS' } })],
  }),
  row('table-class/changed', 'DB-137', docs('API_UpdateTable'), {
    table: hashTable,
    steps: [
      updateTable({ TableClass: 'STANDARD_INFREQUENT_ACCESS' }).succeeds(),
      described({
        TableStatus: 'ACTIVE',
        TableClassSummary: partial({ TableClass: 'STANDARD_INFREQUENT_ACCESS' }),
      }),
    ],
  }),
  row('table-class/unknown', 'DB-135 DB-137', ACK_2026, {
    table: hashTable,
    steps: [
      updateTable({ TableClass: 'STANDARD_IA' }).invalid(unknownTableClass),
      createTable(table('pk:S', { more: { TableClass: 'STANDARD_IA' } })).invalid(unknownTableClass),
    ],
  }),
  row('table-class/changes-alone', 'DB-137', ACK_2026, {
    table: hashTable,
    steps: [
      updateTable({ TableClass: 'STANDARD_INFREQUENT_ACCESS', DeletionProtectionEnabled: true }).invalid(
        `${INVALID}TableClass modification must be the only operation in the request`,
      ),
      updateTable({ SSESpecification: { Enabled: true }, DeletionProtectionEnabled: true }).invalid(
        `${INVALID}Server-Side Encryption modification must be the only operation in the request`,
      ),
      updateTable({ DeletionProtectionEnabled: true, BillingMode: 'PAY_PER_REQUEST' }).invalid(
        `${INVALID}DeletionProtection modification must be the only operation in the request`,
      ),
    ],
  }),
  row('encryption/given-at-creation', 'DB-135', docs('API_CreateTable'), {
    needs: ['encryption'],
    table: table('pk:S', { more: { SSESpecification: { Enabled: true, SSEType: 'KMS' } } }),
    steps: [described(encrypted)],
  }),
  row('encryption/switched-on-and-off', 'DB-137', `${docs('API_UpdateTable')}; ${ACK_2026}`, {
    needs: ['encryption'],
    table: hashTable,
    steps: [
      updateTable({ SSESpecification: { Enabled: true } }).givesPartly({
        TableDescription: partial({
          SSEDescription: { Status: 'UPDATING', SSEType: 'KMS', KMSMasterKeyArn: anyString },
        }),
      }),
      described(encrypted),
      updateTable({ SSESpecification: { Enabled: false } }).succeeds(),
      updateTable({ SSESpecification: { Enabled: false } }).invalid(`${INVALID}Table is already encrypted by default`),
    ],
  }),
  row('encryption/members-that-do-not-go-together', 'DB-137', ACK_2026, {
    table: hashTable,
    steps: [
      updateTable({ SSESpecification: { Enabled: false, SSEType: 'KMS' } }).invalid(
        `${INVALID}SSEType can not be specified if Enabled is false`,
      ),
      updateTable({ SSESpecification: { Enabled: true, SSEType: 'AES256' } }).invalid(
        `${INVALID}SSEType AES256 is not supported`,
      ),
      updateTable({ SSESpecification: { Enabled: true, KMSMasterKeyId: 'alias/mine' } }).invalid(
        `${INVALID}SSEType KMS is required if KMSMasterKeyId is specified`,
      ),
    ],
  }),
];
