import { messageContaining } from '../matchers.ts';
import type { JsonObject, Row } from '../row.ts';
import { row } from '../row.ts';
import { ACK_2026 } from '../sources.ts';
import { call } from '../steps.ts';
import type { Call } from '../steps.ts';
import { hashTable } from '../tables.ts';

/** What can be tested without a Kinesis data stream. Deliveries are tested beside the engine and with the AWS SDK. */

const IN_STATE = 'Table is not in a valid state to enable Kinesis Streaming Destination: ';
const NO_PARAMETERS =
  'Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values';
const StreamArn = 'arn:aws:kinesis:us-east-1:123456789012:stream/never-attached';

const of = (action: string, more: JsonObject = {}, TableName = '$T'): Call =>
  call(`${action}KinesisStreamingDestination`, { TableName, ...more });

export const kinesisRows: readonly Row[] = [
  row('kinesis/no-destination', 'DB-137', ACK_2026, {
    table: hashTable,
    steps: [of('Describe').gives({ TableName: '$T', KinesisDataStreamDestinations: [] })],
  }),
  row('kinesis/disable-what-was-never-enabled', 'DB-137', ACK_2026, {
    table: hashTable,
    steps: [
      of('Disable', { StreamArn }).invalid(
        `${IN_STATE}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.`,
      ),
      of('Disable', {
        StreamArn,
        EnableKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: 'MICROSECOND' },
      }).invalid('Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters'),
    ],
  }),
  row('kinesis/update-what-was-never-enabled', 'DB-137', ACK_2026, {
    table: hashTable,
    steps: [
      of('Update', {
        StreamArn,
        UpdateKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: 'MICROSECOND' },
      }).invalid(
        messageContaining(
          `${IN_STATE}Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. TableName: $T`,
        ),
      ),
      of('Update', { StreamArn }).invalid(NO_PARAMETERS),
      of('Update', { StreamArn, UpdateKinesisStreamingConfiguration: {} }).invalid(NO_PARAMETERS),
    ],
  }),
  row('kinesis/no-such-table', 'DB-137 DB-275', ACK_2026, {
    table: hashTable,
    steps: [
      of('Describe', {}, '$T-missing').fails(
        'ResourceNotFoundException',
        'Requested resource not found: Table: $T-missing not found',
      ),
      of('Disable', { StreamArn }, '$T-missing').fails(
        'ResourceNotFoundException',
        'Requested resource not found: Table: $T-missing not found',
      ),
    ],
  }),
];
