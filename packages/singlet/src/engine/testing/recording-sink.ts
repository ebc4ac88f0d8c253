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

/** A sink that keeps what it takes, and does with records and streams what a test says. */
export class RecordingSink implements ChangeSink {
  readonly arrived: ArrivedRecord[] = [];
  /** What is wrong with a stream. */
  problemOf: (streamArn: string) => string | undefined = () => undefined;
  /** What becomes of a record. */
  outcomeOf: (record: SinkRecord) => SinkOutcome = () => 'taken';
  /** Called before anything is taken, with how many records there are. */
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

  /** What arrived last of each record, by its id, in the order of its first arrival. */
  get distinct(): readonly ArrivedRecord[] {
    return [...new Map(this.arrived.map((record) => [record.body.eventID, record])).values()];
  }
}
