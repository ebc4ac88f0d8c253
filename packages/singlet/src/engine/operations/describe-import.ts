import { ImportNotFoundException, ValidationException } from '../../values/service-error.ts';
import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { describeImportRecord, type ImportTableDescription } from '../transfer/describe-import-record.ts';
import { findLoad } from '../transfer/find-loads.ts';
import { parseLoadArn } from '../transfer/load-arn.ts';

export interface DescribeImportRequest {
  readonly importArn: string;
}

export interface DescribeImportResult {
  readonly importTableDescription: ImportTableDescription;
}

/**
 * Describes an import. The counts grow while it runs; the service reports them only at the end.
 *
 * @throws {ValidationException} if it is not the ARN of an import.
 * @throws {ImportNotFoundException}
 * @see Amazon DynamoDB API Reference, DescribeImport
 */
export async function describeImport(
  services: EngineServices,
  { importArn }: DescribeImportRequest,
  context: RequestContext,
): Promise<DescribeImportResult> {
  const parsed = parseLoadArn('import', importArn);
  if (parsed === undefined) throw new ValidationException('Invalid Import ARN');
  const isHere = parsed.accountId === context.accountId && parsed.region === context.region;
  const load = isHere ? await findLoad(services, 'import', context, parsed.loadId) : undefined;
  if (load === undefined || load.tableName !== parsed.tableName) {
    throw new ImportNotFoundException(`Import not found: ${importArn}`);
  }
  return { importTableDescription: describeImportRecord(load) };
}
