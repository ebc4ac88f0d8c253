import type { AttributeMap, AttributeValue } from '../../../singlet/src/values/attribute-value.ts';
import { sameValue } from '../values/value-problem.ts';

/** A record of a stream, as GetRecords has it. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly userIdentity?: { readonly type?: string; readonly principalId?: string };
  readonly dynamodb: {
    readonly ApproximateCreationDateTime?: number;
    readonly Keys: AttributeMap;
    readonly OldImage?: AttributeMap;
    readonly NewImage?: AttributeMap;
    readonly SequenceNumber: string;
  };
}

export const eventNames = ['INSERT', 'MODIFY', 'REMOVE'] as const;

/** One attribute that a record changed. */
export interface AttributeChange {
  readonly name: string;
  readonly old: AttributeValue | undefined;
  readonly now: AttributeValue | undefined;
}

/**
 * What a record changed, from its images. A stream that keeps one image or none allows no comparison.
 *
 * @returns undefined if it cannot be determined.
 */
export function changesOf({ eventName, dynamodb }: StreamRecord): readonly AttributeChange[] | undefined {
  const { OldImage, NewImage, Keys } = dynamodb;
  const isWhole =
    (eventName === 'INSERT' || OldImage !== undefined) && (eventName === 'REMOVE' || NewImage !== undefined);
  if (!isWhole) return undefined;
  const names = new Set([...Object.keys(OldImage ?? {}), ...Object.keys(NewImage ?? {})]);
  return [...names]
    .filter((name) => !(name in Keys) && !sameValue(OldImage?.[name], NewImage?.[name]))
    .map((name) => ({ name, old: OldImage?.[name], now: NewImage?.[name] }));
}

/** The image that identifies the entity: the new one if there is one, otherwise the old one. */
export function imageOf({ dynamodb: { OldImage, NewImage, Keys } }: StreamRecord): AttributeMap {
  return NewImage ?? OldImage ?? Keys;
}

/** Whether time to live removed the item, rather than a request. */
export function isExpiry({ userIdentity }: StreamRecord): boolean {
  return userIdentity?.principalId === 'dynamodb.amazonaws.com';
}

/** By time, and within a second by sequence number, which is text of digits. */
export function isNewer(a: StreamRecord, b: StreamRecord): boolean {
  const seconds = (record: StreamRecord): number => record.dynamodb.ApproximateCreationDateTime ?? 0;
  if (seconds(a) !== seconds(b)) return seconds(a) > seconds(b);
  const [first, second] = [a.dynamodb.SequenceNumber, b.dynamodb.SequenceNumber];
  return first.length === second.length ? first > second : first.length > second.length;
}
