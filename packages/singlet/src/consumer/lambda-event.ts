import type { _Record, AttributeValue } from '@aws-sdk/client-dynamodb-streams';

/** An attribute value in JSON; binary is base64. */
export type LambdaAttributeValue = Readonly<Record<string, unknown>>;
/** An item in Lambda's form: attribute values by name. */
export type LambdaImage = Readonly<Record<string, LambdaAttributeValue>>;

/** A stream record as a Lambda function gets it. */
export interface LambdaRecord {
  /** The record's id, unique within the stream. */
  readonly eventID?: string | undefined;
  /** `INSERT`, `MODIFY` or `REMOVE`. */
  readonly eventName?: string | undefined;
  /** The version of the record's form. */
  readonly eventVersion?: string | undefined;
  /** `aws:dynamodb`. */
  readonly eventSource?: string | undefined;
  /** The region of the stream. */
  readonly awsRegion?: string | undefined;
  /** The change itself: keys, images, sequence number and size. */
  readonly dynamodb: {
    /** Epoch seconds. */
    readonly ApproximateCreationDateTime?: number;
    readonly Keys?: LambdaImage;
    readonly NewImage?: LambdaImage;
    readonly OldImage?: LambdaImage;
    readonly SequenceNumber?: string | undefined;
    readonly SizeBytes?: number | undefined;
    readonly StreamViewType?: string | undefined;
  };
  /** The service, if time to live deleted the item; absent for requests. */
  readonly userIdentity?: { readonly type?: string | undefined; readonly principalId?: string | undefined };
  /** The ARN of the stream. */
  readonly eventSourceARN: string;
}

/** The event that a Lambda function is called with. */
export interface LambdaEvent {
  /** The records of a batch, oldest first. */
  readonly Records: readonly LambdaRecord[];
}

/**
 * A stream record in the JSON form of Lambda events.
 *
 * @see AWS Lambda Developer Guide, "Using AWS Lambda with Amazon DynamoDB"
 */
export function lambdaRecord(record: _Record, streamArn: string): LambdaRecord {
  const { eventID, eventName, eventVersion, eventSource, awsRegion, dynamodb = {}, userIdentity } = record;
  const { ApproximateCreationDateTime, Keys, NewImage, OldImage, SequenceNumber, SizeBytes, StreamViewType } = dynamodb;
  return {
    eventID,
    eventName,
    eventVersion,
    eventSource,
    awsRegion,
    dynamodb: {
      ...(ApproximateCreationDateTime && {
        ApproximateCreationDateTime: ApproximateCreationDateTime.getTime() / 1000,
      }),
      ...(Keys && { Keys: lambdaImage(Keys) }),
      ...(NewImage && { NewImage: lambdaImage(NewImage) }),
      ...(OldImage && { OldImage: lambdaImage(OldImage) }),
      SequenceNumber,
      SizeBytes,
      StreamViewType,
    },
    ...(userIdentity && { userIdentity: { type: userIdentity.Type, principalId: userIdentity.PrincipalId } }),
    eventSourceARN: streamArn,
  };
}

/** The event of a Lambda function for a batch. */
export function lambdaEvent(records: readonly _Record[], streamArn: string): LambdaEvent {
  return { Records: records.map((record) => lambdaRecord(record, streamArn)) };
}

function lambdaImage(image: Readonly<Record<string, AttributeValue>>): LambdaImage {
  return Object.fromEntries(Object.entries(image).map(([name, value]) => [name, lambdaValue(value)]));
}

function lambdaValue(value: AttributeValue): LambdaAttributeValue {
  if (value.B !== undefined) return { B: base64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(base64) };
  if (value.L !== undefined) return { L: value.L.map(lambdaValue) };
  if (value.M !== undefined) return { M: lambdaImage(value.M) };
  return { ...value };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
