import type { ChangeSink, SinkOutcome, SinkRecord } from '../kinesis/change-sink.ts';

/** A record that arrived. */
export interface ArrivedRecord {
  readonly streamArn: string;
  readonly partitionKey: string;
  readonly body: {
    readonly eventID: string;
    readonly eventName: string;
    readonly dynamodb: Readonly<Record<string, unknown>>;
  } & Readonly<Record<string, unknown>>;
}

/** A sink that keeps the records it takes, and answers for records and streams as the test decides. */
export class RecordingSink implements ChangeSink {
  readonly arrived: ArrivedRecord[] = [];
  /** The problem of a stream; undefined if there is none. */
  problemOf: (streamArn: string) => string | undefined = () => undefined;
  /** The outcome of a record. */
  outcomeOf: (record: SinkRecord) => SinkOutcome = () => 'taken';
  /** Called before any record is taken, with the number of records. */
  beforeDelivery: (count: number) => Promise<void> | void = () => undefined;

  check(streamArn: string): Promise<string | undefined> {
    return Promise.resolve(this.problemOf(streamArn));
  }

  async deliver(streamArn: string, records: readonly SinkRecord[]): Promise<readonly SinkOutcome[]> {
    await this.beforeDelivery(records.length);
    return records.map((record) => {
      const outcome = this.outcomeOf(record);
      if (outcome === 'taken') {
        const body = JSON.parse(record.data.toString('utf8')) as ArrivedRecord['body'];
        this.arrived.push({ streamArn, partitionKey: record.partitionKey, body });
      }
      return outcome;
    });
  }

  close(): void {
    this.arrived.length = 0;
  }

  /** The last arrival of each record, by its id, in the order of first arrival. */
  get distinct(): readonly ArrivedRecord[] {
    return [...new Map(this.arrived.map((record) => [record.body.eventID, record])).values()];
  }
}
