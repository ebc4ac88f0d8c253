import type { AttributeMap } from '../../values/attribute-value.ts';
import { getAttribute } from '../../values/attribute-value.ts';
import { textHash } from '../layout/partition-hash.ts';
import { uuidOf } from '../layout/uuid.ts';
import type { ChangeRecord } from '../followers/streams/change-record.ts';
import type { SinkRecord } from './change-sink.ts';
import type { DeliveryRecord } from './delivery-list.ts';

/** A change, and its position in the log, which makes it unique. */
export interface LoggedChange {
  readonly storeKey: Buffer;
  readonly record: ChangeRecord;
}

const userIdentityOfService = '{"type":"Service","principalId":"dynamodb.amazonaws.com"}';

/**
 * A change as the service writes it into a Kinesis data stream: JSON, with both images. The same change always gives the same record.
 *
 * @see Developer Guide, "Using Kinesis Data Streams to capture changes to DynamoDB"
 */
export function kinesisRecord(
  { region, tableName, precision, log }: DeliveryRecord,
  { storeKey, record }: LoggedChange,
): SinkRecord {
  const { keys, newImage, oldImage } = record;
  const eventId = uuidOf(textHash('change', String(log.space), storeKey.toString('latin1')));
  const micros = precision === 'MICROSECOND';
  // The images are copied from their stored texts; only the keys are parsed.
  const data = Buffer.concat([
    text(
      `{"awsRegion":${JSON.stringify(region)},"eventID":"${eventId}","eventName":"${record.eventName}",` +
        `"userIdentity":${record.byService ? userIdentityOfService : 'null'},"recordFormat":"application/json",` +
        `"tableName":${JSON.stringify(tableName)},"dynamodb":{` +
        `"ApproximateCreationDateTime":${Math.floor(record.createdAtMs) * (micros ? 1000 : 1)},"Keys":`,
    ),
    keys.json,
    ...(newImage === undefined ? [] : [text(',"NewImage":'), newImage.json]),
    ...(oldImage === undefined ? [] : [text(',"OldImage":'), oldImage.json]),
    text(
      `,"SizeBytes":${keys.sizeBytes + (newImage?.sizeBytes ?? 0) + (oldImage?.sizeBytes ?? 0)},` +
        `"ApproximateCreationDateTimePrecision":"${precision ?? 'MILLISECOND'}"},"eventSource":"aws:dynamodb"}`,
    ),
  ]);
  return { partitionKey: partitionKeyOf(tableName, keys.toMap()), data };
}

/** One for each item, in the form that the service uses: 32 hexadecimal digits. */
function partitionKeyOf(tableName: string, keys: AttributeMap): string {
  const names = Object.keys(keys).toSorted();
  const values = names.map((name) => JSON.stringify([name, getAttribute(keys, name)]));
  return Buffer.from(textHash('partition key', tableName, ...values))
    .toString('hex')
    .toUpperCase();
}

function text(json: string): Buffer {
  return Buffer.from(json, 'utf8');
}
