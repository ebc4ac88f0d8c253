import { createHash } from 'node:crypto';
import { type ChangeRecord, lambdaRecord } from '../../consumer/index.ts';
import type { UncheckedAttributeMap } from '../../values/attribute-value.ts';
import { plainJson } from '../transfer/plain-json.ts';
import { UsageError } from '../usage-error.ts';

/** A change for sinks that keep the present state of items. */
export interface ItemChange {
  /** An id of the item: 64 characters, the same for the same key. */
  readonly id: string;
  /** The key attributes as plain JSON. */
  readonly keys: string;
  /** The item as plain JSON; undefined if it was deleted. */
  readonly item: string | undefined;
  /** Decimal digits; ascending for the changes of an item. */
  readonly sequenceNumber: string;
  readonly changedAtEpochSeconds: number;
}

/** @throws {UsageError} if the stream's records do not contain the item. */
export function itemChangeOf(record: ChangeRecord<unknown>): ItemChange {
  const { source, sequenceNumber, createdAtEpochSeconds } = record;
  const { dynamodb, eventName } = lambdaRecord(source, '');
  const isDeleted = eventName === 'REMOVE';
  if (!isDeleted && dynamodb.NewImage === undefined) {
    throw new UsageError('The stream has no new images: its view type must be NEW_IMAGE or NEW_AND_OLD_IMAGES.');
  }
  const keys = itemKeyOf(record);
  return {
    id: createHash('sha256').update(keys).digest('hex'),
    keys,
    item: isDeleted ? undefined : plainJson({ M: dynamodb.NewImage as UncheckedAttributeMap }),
    sequenceNumber,
    changedAtEpochSeconds: createdAtEpochSeconds,
  };
}

/** The key attributes as plain JSON: the same text for the same key. */
export function itemKeyOf({ source }: ChangeRecord<unknown>): string {
  const { Keys = {} } = lambdaRecord(source, '').dynamodb;
  return plainJson({ M: sorted(Keys) });
}

/** The last change of each item. */
export function lastOfEach(changes: readonly ItemChange[]): readonly ItemChange[] {
  return [...new Map(changes.map((change) => [change.id, change])).values()];
}

function sorted(map: UncheckedAttributeMap): UncheckedAttributeMap {
  return Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
