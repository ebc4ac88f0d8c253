/**
 * Where changes are delivered that leave the database: Kinesis data streams, in whatever way the composition root reaches
 * them. The engine does no input or output of its own.
 */
export interface ChangeSink {
  /**
   * Finds out whether a stream takes records.
   *
   * @returns undefined when it does, otherwise why not, in the words that DescribeKinesisStreamingDestination answers. Does
   *   not reject for a stream that is missing or unreachable.
   */
  check(streamArn: string): Promise<string | undefined>;
  /**
   * Delivers records. Those that were taken may be seen again: the caller may fail before it notes down that they were.
   *
   * @param records - at most {@link sinkRecordsMax}, and {@link sinkBytesMax} together, unless a single one is larger.
   * @returns one outcome per record, in their order. Does not reject because a stream is missing or unreachable.
   */
  deliver(streamArn: string, records: readonly SinkRecord[]): Promise<readonly SinkOutcome[]>;
  /** Lets go of connections. Nothing is delivered afterwards. */
  close(): void;
}

export interface SinkRecord {
  /** Records of one item have the same. */
  readonly partitionKey: string;
  /** UTF-8 JSON. */
  readonly data: Buffer;
}

/** `later`: not taken this time. `never`: not taken, and it would not help to send it again. */
export type SinkOutcome = 'taken' | 'later' | 'never';

/** Most records of one PutRecords. */
export const sinkRecordsMax = 500;

/** Most bytes of one PutRecords, below the 5 MB of the service. */
export const sinkBytesMax: number = 4 * 1024 * 1024;
