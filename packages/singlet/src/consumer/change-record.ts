import type { _Record, AttributeValue } from '@aws-sdk/client-dynamodb-streams';

/** Attributes as the service returns them: `{ id: { S: 'x' } }`. */
export type ItemImage = Readonly<Record<string, AttributeValue>>;

/** One change of one item. */
export interface ChangeRecord<Item = ItemImage> {
  /** Identical each time the record is read, and unique to it, so that processing can be idempotent. */
  readonly eventId: string;
  /** Whether the item was created, changed or deleted. */
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  /** Ascending for the changes of one item. */
  readonly sequenceNumber: string;
  /** The shard the record was read from. */
  readonly shardId: string;
  /** With a precision of one second. */
  readonly createdAtEpochSeconds: number;
  /** The key attributes of the item. */
  readonly keys: Item;
  /** The item after the change, if the stream's view type includes it. */
  readonly newImage?: Item;
  /** The item before the change, if it existed and the stream's view type includes it. */
  readonly oldImage?: Item;
  /** Whether the service made the change because the item's time to live had passed. */
  readonly isExpiry: boolean;
  /** The record as the service returned it. */
  readonly source: _Record;
}

/** Converts attributes, such as `unmarshall` of `@aws-sdk/util-dynamodb`. */
export type ReadImage<Item> = (image: ItemImage) => Item;

export function changeRecordOf<Item>(source: _Record, shardId: string, read: ReadImage<Item>): ChangeRecord<Item> {
  const { dynamodb, eventID, eventName, userIdentity } = source;
  const { Keys, NewImage, OldImage } = dynamodb ?? {};
  return {
    eventId: eventID ?? '',
    eventName: eventName ?? 'MODIFY',
    sequenceNumber: sequenceNumberOf(source),
    shardId,
    createdAtEpochSeconds: createdAtMsOf(source) / 1000,
    keys: read(Keys ?? {}),
    ...(NewImage && { newImage: read(NewImage) }),
    ...(OldImage && { oldImage: read(OldImage) }),
    isExpiry: userIdentity?.PrincipalId === 'dynamodb.amazonaws.com',
    source,
  };
}

export function sequenceNumberOf({ dynamodb }: _Record): string {
  return dynamodb?.SequenceNumber ?? '';
}

export function createdAtMsOf({ dynamodb }: _Record): number {
  return dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0;
}
