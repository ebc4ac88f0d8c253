import type { DynamoDBClient, ExportDescription, ExportTableToPointInTimeCommandInput } from '@aws-sdk/client-dynamodb';
import {
  DescribeExportCommand,
  DescribeTableCommand,
  ExportNotFoundException,
  ExportTableToPointInTimeCommand,
  InvalidExportTimeException,
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

/** The changes between two times; without them, everything at the present moment. */
export interface ExportedTime {
  readonly from: Date;
  readonly to: Date;
}

/** How far an export is. */
export interface LakeExport {
  readonly exportId: string;
  readonly status: 'running' | 'done' | 'failed';
  /** Of one that is done: its manifest in the bucket, and how many items it has. */
  readonly manifest?: string;
  readonly items?: number;
}

/** The service has no export of such a time: the two are less than 15 minutes apart, from before the backups, or in the future. */
export class NoSuchTimeError extends Error {
  override readonly name = 'NoSuchTimeError';
}

/** The service has no place for exports, or they are not enabled. */
export class NoExportsError extends Error {
  override readonly name = 'NoExportsError';
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
   * Begins an export, and does not wait for it.
   *
   * @param key - chosen by the caller: the same key is the same export.
   * @throws {NoSuchTimeError | NoExportsError}
   */
  async begin(time: ExportedTime | undefined, key?: string): Promise<LakeExport> {
    const what = time === undefined ? {} : incremental(time);
    try {
      return lakeExport(await this.#begin({ ...what, ...(key !== undefined && { ClientToken: key }) }));
    } catch (error) {
      if (error instanceof InvalidExportTimeException) throw new NoSuchTimeError('No such time', { cause: error });
      if (error instanceof Error && /^(Validation|PointInTimeRecoveryUnavailable)/.test(error.name)) {
        throw new NoExportsError('No exports', { cause: error });
      }
      throw error;
    }
  }

  /** How far an export is, or `undefined` for an unknown one. */
  async find(exportId: string): Promise<LakeExport | undefined> {
    try {
      return lakeExport(await this.#describe(`${await this.#tableArn()}/export/${exportId}`));
    } catch (error) {
      if (error instanceof ExportNotFoundException) return undefined;
      throw error;
    }
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
    return await this.#export(incremental({ from, to }));
  }

  async #export(what: Partial<ExportTableToPointInTimeCommandInput>): Promise<ExportDescription> {
    let described = await this.#begin(what);
    while (described.ExportStatus === 'IN_PROGRESS') {
      await this.#pause(POLL_PAUSE_MS);
      described = await this.#describe(described.ExportArn);
    }
    if (described.ExportStatus !== 'COMPLETED') throw new ExportFailedError(described);
    return described;
  }

  async #begin(what: Partial<ExportTableToPointInTimeCommandInput>): Promise<ExportDescription> {
    const TableArn = await this.#tableArn();
    const { ExportDescription = {} } = await this.#client.send(
      new ExportTableToPointInTimeCommand({ TableArn, S3Bucket: this.#bucket, ...what }),
    );
    return ExportDescription;
  }

  async #describe(ExportArn: string | undefined): Promise<ExportDescription> {
    const { ExportDescription = {} } = await this.#client.send(new DescribeExportCommand({ ExportArn }));
    return ExportDescription;
  }

  async #tableArn(): Promise<string | undefined> {
    const { Table } = await this.#client.send(new DescribeTableCommand({ TableName: this.#tableName }));
    return Table?.TableArn;
  }
}

function incremental({ from, to }: ExportedTime): Partial<ExportTableToPointInTimeCommandInput> {
  return {
    ExportType: 'INCREMENTAL_EXPORT',
    IncrementalExportSpecification: {
      ExportFromTime: from,
      ExportToTime: to,
      ExportViewType: 'NEW_AND_OLD_IMAGES',
    },
  };
}

function lakeExport({ ExportArn = '', ExportStatus, ExportManifest, ItemCount }: ExportDescription): LakeExport {
  const isDone = ExportStatus === 'COMPLETED';
  return {
    exportId: ExportArn.split('/').at(-1) ?? '',
    status: isDone ? 'done' : ExportStatus === 'FAILED' ? 'failed' : 'running',
    ...(isDone && ExportManifest !== undefined && { manifest: ExportManifest }),
    ...(isDone && ItemCount !== undefined && { items: ItemCount }),
  };
}
