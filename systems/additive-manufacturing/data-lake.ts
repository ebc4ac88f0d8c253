import type { DynamoDBClient, ExportDescription, ExportTableToPointInTimeCommandInput } from '@aws-sdk/client-dynamodb';
import {
  DescribeExportCommand,
  DescribeTableCommand,
  ExportTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import type { Pause } from '../pause.ts';
import { pauseWithJitter } from '../pause.ts';

const POLL_PAUSE_MS = 1000;

export interface DataLakeOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** The bucket that the data scientists read. */
  readonly bucket: string;
  readonly pause?: Pause;
}

export class ExportFailedError extends Error {
  override readonly name = 'ExportFailedError';

  constructor({ ExportArn, FailureCode, FailureMessage }: ExportDescription) {
    super(`The export ${ExportArn} failed: ${FailureCode ?? ''} ${FailureMessage ?? ''}`);
  }
}

/**
 * AM-W7: the factory's data for the data scientists, as files in a bucket: gzipped lines of JSON with the types of the values,
 * and a manifest that lists the parts with their counts and checksums. DynamoDB makes them from its backups, without load on
 * the shop floor's table.
 */
export class DataLake {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #bucket: string;
  readonly #pause: Pause;

  constructor({ client, tableName, bucket, pause = pauseWithJitter }: DataLakeOptions) {
    this.#client = client;
    this.#tableName = tableName;
    this.#bucket = bucket;
    this.#pause = pause;
  }

  /** Enables the backups that exports are made from. Once per table. */
  async enable(): Promise<void> {
    await this.#client.send(
      new UpdateContinuousBackupsCommand({
        TableName: this.#tableName,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    );
  }

  /**
   * Everything in the table at one moment: now, unless specified.
   *
   * @throws {ExportFailedError}
   */
  async exportAll(atTime?: Date): Promise<ExportDescription> {
    return await this.#export(atTime === undefined ? {} : { ExportTime: atTime });
  }

  /**
   * The changes between two times: keys, and the items before and after.
   *
   * @throws {ExportFailedError}
   */
  async exportChanges(from: Date, to: Date): Promise<ExportDescription> {
    return await this.#export({
      ExportType: 'INCREMENTAL_EXPORT',
      IncrementalExportSpecification: {
        ExportFromTime: from,
        ExportToTime: to,
        ExportViewType: 'NEW_AND_OLD_IMAGES',
      },
    });
  }

  async #export(what: Partial<ExportTableToPointInTimeCommandInput>): Promise<ExportDescription> {
    const { Table } = await this.#client.send(new DescribeTableCommand({ TableName: this.#tableName }));
    let { ExportDescription: described } = await this.#client.send(
      new ExportTableToPointInTimeCommand({ TableArn: Table?.TableArn, S3Bucket: this.#bucket, ...what }),
    );
    while (described?.ExportStatus === 'IN_PROGRESS') {
      await this.#pause(POLL_PAUSE_MS);
      const { ExportArn } = described;
      ({ ExportDescription: described } = await this.#client.send(new DescribeExportCommand({ ExportArn })));
    }
    if (described?.ExportStatus !== 'COMPLETED') {
      throw new ExportFailedError(described ?? {});
    }
    return described;
  }
}
