/**
 * Delivers changes outside the database, to Kinesis data streams; the composition root decides how to reach
 * them. The engine does no input or output of its own.
 */
export interface ChangeSink {
  /**
   * Checks whether a stream accepts records.
   *
   * @returns undefined if it does; otherwise the reason, in the words that DescribeKinesisStreamingDestination answers. Does
   *   not reject for a stream that is missing or unreachable.
   */
  check(streamArn: string): Promise<string | undefined>;
  /**
   * Delivers records. A record that was taken may be delivered again: the caller may fail before it records the delivery.
   *
   * @param records - at most {@link sinkRecordsMax}, and {@link sinkBytesMax} together, unless a single one is larger.
   * @returns one outcome per record, in their order. Does not reject if a stream is missing or unreachable.
   */
  deliver(streamArn: string, records: readonly SinkRecord[]): Promise<readonly SinkOutcome[]>;
  /** Closes the connections. Nothing is delivered afterwards. */
  close(): void;
}

export interface SinkRecord {
  /** The same for all records of one item. */
  readonly partitionKey: string;
  /** UTF-8 JSON. */
  readonly data: Buffer;
}

/** `later`: not accepted this time. `never`: not accepted, and sending it again would not help. */
export type SinkOutcome = 'taken' | 'later' | 'never';

/** The maximum number of records of one PutRecords. */
export const sinkRecordsMax = 500;

/** The maximum bytes of one PutRecords, below the 5 MB of the service. */
export const sinkBytesMax: number = 4 * 1024 * 1024;
