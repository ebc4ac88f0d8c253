import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { ValidationException } from '../../values/service-error.ts';
import { accessDenied, exportNotFound } from './backup-errors.ts';
import { decodeExportRecord, exportKey, type ExportRecord } from './export-record.ts';

const pattern = /^arn:aws[a-z-]*:dynamodb:([^:]+):([^:]+):table\/([a-zA-Z0-9_.-]{3,255})\/export\/([0-9a-f-]{1,64})$/;

/**
 * Finds the export that an ARN names.
 *
 * @throws {ValidationException} when it is not the ARN of an export.
 * @throws {AccessDeniedException} | {ExportNotFoundException}
 */
export async function findExport(
  { store }: EngineServices,
  exportArn: string,
  context: RequestContext,
): Promise<ExportRecord> {
  const [, region, accountId, tableName, exportId] = pattern.exec(exportArn) ?? [];
  if (exportId === undefined) throw new ValidationException('Invalid Export ARN');
  if (accountId !== context.accountId) throw accessDenied();
  if (region !== context.region) throw exportNotFound('Invalid export arn');
  const key = exportKey(context, exportId);
  const record = await store.read([key], ([value]) =>
    value === undefined ? undefined : decodeExportRecord(key, value),
  );
  if (record === undefined || record.tableName !== tableName) throw exportNotFound(`Export not found: ${exportArn}`);
  return record;
}
