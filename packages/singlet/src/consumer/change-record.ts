import type { _Record, AttributeValue } from '@aws-sdk/client-dynamodb-streams';

/** Attributes as the service gives them: `{ id: { S: 'x' } }`. */
export type ItemImage = Readonly<Record<string, AttributeValue>>;

/** One change of one item. */
export interface ChangeRecord<Item = ItemImage> {
  /** The same each time the record is read, and no other record's: what makes processing idempotent. */
  readonly eventId: string;
  /** Whether the item was created, changed or deleted. */
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  /** Ascends for the changes of an item. */
  readonly sequenceNumber: string;
  /** The shard the record was read from. */
  readonly shardId: string;
  /** To the second. */
  readonly createdAtEpochSeconds: number;
  /** The key attributes of the item. */
  readonly keys: Item;
  /** As far as the view type of the stream has it. */
  readonly newImage?: Item;
  /** The item before the change, where the stream's view has it and there was one. */
  readonly oldImage?: Item;
  /** Whether the service has made the change itself, because the item's time to live had passed. */
  readonly isExpiry: boolean;
  /** The record as the service gave it. */
  readonly source: _Record;
}

/** Reads attributes, such as `unmarshall` of `@aws-sdk/util-dynamodb`. */
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
