import { assert } from '../../values/assert.ts';
import type { StoreValue } from '../../storage/store.ts';
import { ResourceNotFoundException } from '../../values/service-error.ts';
import { backupIdOf } from '../backups/backup-arn.ts';
import {
  accessDenied,
  exportConflict,
  invalidRequest,
  sourceTableNotFound,
  tooManyExports,
} from '../backups/backup-errors.ts';
import { type ExportJob, firstStep, jobWrite, listJobs } from '../backups/backup-job.ts';
import { beginImage, PresentChangeLog } from '../backups/begin-image.ts';
import { type RecordedFilter, recordedFilter } from '../backups/export-filter.ts';
import { describeExportRecord, type ExportDescription } from '../backups/describe-export.ts';
import {
  decodeExportRecord,
  decodeExportToken,
  exportKey,
  exportTokenKey,
  exportTokenWrite,
  exportWrite,
  type ExportRecord,
  newExportRecord,
} from '../backups/export-record.ts';
import {
  checkExportRequest,
  type ExportSubject,
  exportSubject,
  type ExportTableToPointInTimeRequest,
  type IncrementalExportSpecification,
} from '../backups/export-request.ts';
import { lastMomentOf } from '../layout/moment.ts';
import { parseSourceTableArn, sourceTable } from '../backups/source-table.ts';
import type { RequestContext } from '../environment.ts';
import { textHash } from '../layout/partition-hash.ts';
import type { EngineServices } from '../services.ts';
import { spawnBackupWork } from '../jobs/background-work.ts';
import { StaleTableError } from '../catalog/catalog.ts';
import { changeTable, type TableChangeInput, type TableChangeOutput } from '../catalog/table-change.ts';
import type { TableRecord } from '../catalog/table-record.ts';
import { requireObjectStore } from '../transfer/require-object-store.ts';

export type { ExportDescription, ExportTableToPointInTimeRequest, IncrementalExportSpecification };

export interface ExportTableToPointInTimeResult {
  readonly exportDescription: ExportDescription;
}

const suffixBytes = 4;
const hourMs = 3_600_000;

/**
 * Starts an export of a table's items as they were at a time, or of the changes between two times, into a bucket. Problems
 * with the bucket appear later, in the description of the export.
 *
 * @throws {ValidationException} if the request is invalid, or this database has no buckets.
 * @throws {TableNotFoundException} | {AccessDeniedException}
 * @throws {PointInTimeRecoveryUnavailableException} | {InvalidExportTimeException}
 * @throws {ExportConflictException} if the client token was used with another request.
 * @throws {LimitExceededException}
 * @see Amazon DynamoDB API Reference, ExportTableToPointInTime; conformance/exports
 */
export async function exportTableToPointInTime(
  services: EngineServices,
  request: ExportTableToPointInTimeRequest,
  context: RequestContext,
): Promise<ExportTableToPointInTimeResult> {
  const { tableArn } = request;
  checkExportRequest(request);
  const tableName = exportedTable(tableArn, context);
  const { catalog, environment, limits, store } = services;
  const startMs = environment.clock.nowMs();
  const exportId = backupIdOf(startMs, Buffer.from(environment.random.bytes(suffixBytes)).toString('hex'));
  const tokenKeys = request.clientToken === undefined ? [] : [exportTokenKey(context, request.clientToken)];
  const begun = await catalog.retryWhenStale(async () => {
    const known = await sourceTable(services, context, tableName, tableArn);
    const repeated = await repeatedExport(services, request, context, startMs);
    if (repeated !== undefined) return repeated;
    exportSubject(request, known.record, startMs, limits);
    const { filterSpecification } = request;
    const filter = filterSpecification && recordedFilter(filterSpecification, known);
    requireObjectStore(services);
    await checkExportCount(services, context);
    const log = new PresentChangeLog(known);
    try {
      const change = (input: TableChangeInput): TableChangeOutput => {
        if (input.record.transition?.status === 'DELETING') throw new StaleTableError(known);
        const tokens = tokenKeys.map((key, at) => decodeExportToken(key, input.values[at]));
        // Another request with the same token was faster: a retry finds its export.
        if (tokens.some((token) => token !== undefined && token.untilMs > startMs)) throw new StaleTableError(known);
        const heads = input.values.slice(tokenKeys.length);
        return begin({ services, request, context, exportId, startMs, filter, log, heads }, input);
      };
      await changeTable(services, context, tableName, change, [...tokenKeys, ...log.keys]);
    } catch (error) {
      if (error instanceof ResourceNotFoundException) throw sourceTableNotFound(tableArn);
      throw error;
    }
    const key = exportKey(context, exportId);
    return store.read([key], ([value]) => (value === undefined ? undefined : decodeExportRecord(key, value)));
  });
  assert(begun !== undefined, 'an export that has begun is there');
  for (const spaceId of await imagesFor(services, begun)) spawnBackupWork(services, spaceId);
  return { exportDescription: describeExportRecord(begun) };
}

interface Begin {
  readonly services: EngineServices;
  readonly request: ExportTableToPointInTimeRequest;
  readonly context: RequestContext;
  readonly exportId: string;
  readonly startMs: number;
  readonly filter: RecordedFilter | undefined;
  readonly log: PresentChangeLog;
  readonly heads: readonly StoreValue[];
}

/** The part of the decision that begins an export: its record, the job that writes it, and the image that it reads. */
function begin(options: Begin, { record, spaces, nowMs }: TableChangeInput): TableChangeOutput {
  const { services, request, context, exportId, startMs, log, heads } = options;
  const { limits } = services;
  const subject = exportSubject(request, record, startMs, limits);
  const [changesSpace, imageSpace] = [spaces.next(), spaces.next()];
  const begun = beginImage(record, {
    ...(subject.kind === 'full'
      ? { at: subject.at }
      : {
          at: { ms: subject.times.toMs - 1 },
          changes: { after: lastMomentOf(subject.times.fromMs - 1), space: changesSpace },
        }),
    nowMs,
    log,
    heads,
    spaces,
    imageSpace,
    owner: { kind: 'job', space: changesSpace },
    limits,
  });
  const { tableName } = record;
  const job: ExportJob = {
    ...firstStep,
    kind: 'export',
    ...context,
    tableName,
    exportId,
    changesSpace,
    imageSpace,
    phase: 'waiting',
    sizeBytes: 0,
    files: [],
  };
  const { clientToken: token } = request;
  const tokenWrites =
    token === undefined
      ? []
      : [
          exportTokenWrite(context, {
            token,
            exportId,
            digest: digestOf(request),
            untilMs: startMs + limits.exportTokenHours * hourMs,
          }),
        ];
  const exported = exportRecord(options, record, subject);
  return { record: begun.record, writes: [...begun.writes, jobWrite(job), exportWrite(exported), ...tokenWrites] };
}

function exportRecord(
  { request, context, exportId, startMs, filter }: Begin,
  table: TableRecord,
  subject: ExportSubject,
): ExportRecord {
  const { clientToken, s3BucketOwner, s3Prefix, s3SseKmsKeyId, exportType } = request;
  return newExportRecord({
    accountId: context.accountId,
    region: context.region,
    exportId,
    tableName: table.tableName,
    tableId: table.tableId,
    keyNames: table.keySchema.map(({ attributeName }) => attributeName),
    status: 'IN_PROGRESS',
    startMs,
    ...(subject.kind === 'full'
      ? { exportMs: subject.at === 'now' ? startMs : Math.round((request.exportTime ?? 0) * 1000) }
      : { incremental: subject.times }),
    ...(exportType !== undefined && { exportType }),
    ...(filter !== undefined && { filter }),
    exportFormat: request.exportFormat ?? 'DYNAMODB_JSON',
    bucket: request.s3Bucket,
    ...(s3BucketOwner !== undefined && { bucketOwner: s3BucketOwner }),
    ...(s3Prefix !== undefined && { prefix: s3Prefix }),
    sseAlgorithm: request.s3SseAlgorithm ?? 'AES256',
    ...(s3SseKmsKeyId !== undefined && { sseKmsKeyId: s3SseKmsKeyId }),
    ...(clientToken !== undefined && { clientToken }),
  });
}

/** The name of the table in the ARN. The ARN's region is ignored: the table is looked up in this one. */
function exportedTable(tableArn: string, context: RequestContext): string {
  // The service refuses the ARN of an index, or of something else below a table, with a different text.
  if (/^arn:.*:table\/[^/]+\//.test(tableArn)) throw invalidRequest('Table ARN is invalid.');
  const { context: owner, tableName } = parseSourceTableArn(tableArn, 'tableArn');
  if (owner.accountId !== context.accountId) throw accessDenied();
  if (owner.region !== context.region) throw sourceTableNotFound(tableArn);
  return tableName;
}

/** The export that was already started with the request's client token. */
async function repeatedExport(
  { store }: EngineServices,
  request: ExportTableToPointInTimeRequest,
  context: RequestContext,
  nowMs: number,
): Promise<ExportRecord | undefined> {
  const { clientToken } = request;
  if (clientToken === undefined) return undefined;
  const tokenKey = exportTokenKey(context, clientToken);
  const known = await store.read([tokenKey], ([value]) => decodeExportToken(tokenKey, value));
  if (known === undefined || known.untilMs <= nowMs) return undefined;
  if (known.digest !== digestOf(request)) throw exportConflict();
  const key = exportKey(context, known.exportId);
  return store.read([key], ([value]) => (value === undefined ? undefined : decodeExportRecord(key, value)));
}

/** The same for equal requests, whatever the order of their members. */
function digestOf(request: ExportTableToPointInTimeRequest): string {
  const members = (value: object): readonly (readonly [string, unknown])[] =>
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(
        ([name, member]) => [name, typeof member === 'object' && member !== null ? members(member) : member] as const,
      )
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(textHash(JSON.stringify(members(request)))).toString('hex');
}

/** @throws {LimitExceededException} if the maximum number of exports is running. */
async function checkExportCount({ store, limits }: EngineServices, context: RequestContext): Promise<void> {
  const running = (await listJobs(store)).filter(
    ({ kind, accountId, region }) => kind === 'export' && accountId === context.accountId && region === context.region,
  );
  if (running.length >= limits.exportCountMax) throw tooManyExports(limits.exportCountMax);
}

/** The images that are being made for an export, by the spaces that they fill: one, or none once it is finished. */
async function imagesFor({ store }: EngineServices, { exportId }: ExportRecord): Promise<readonly number[]> {
  const jobs = await listJobs(store);
  return jobs.flatMap((job) => (job.kind === 'export' && job.exportId === exportId ? [job.imageSpace] : []));
}
