import type { RequestContext } from '../environment.ts';
import type { EngineServices } from '../services.ts';
import { invalidParameter } from '../catalog/parameter-errors.ts';
import type { Table } from '../catalog/table.ts';
import { sourceTableNotFound } from './backup-errors.ts';

/**
 * Finds a table by name, if it can be backed up.
 *
 * @param calledAs - its name in the error.
 * @throws {TableNotFoundException} also while it is being created or deleted.
 */
export async function sourceTable(
  { catalog, environment }: EngineServices,
  context: RequestContext,
  tableName: string,
  calledAs: string = tableName,
): Promise<Table> {
  const table = await catalog.load(context, tableName);
  const status = table?.status(environment.clock.nowMs());
  if (table === undefined || status === 'CREATING' || status === 'DELETING') throw sourceTableNotFound(calledAs);
  return table;
}

const pattern = /^arn:aws[a-z-]*:dynamodb:([^:]+):([^:]+):table\/([a-zA-Z0-9_.-]{3,255})$/;

/**
 * Finds the table that an ARN names, which may be in another region.
 *
 * @param member - the member of the request, as named in the error.
 * @throws {ValidationException} when it is not the ARN of a table.
 */
export function parseSourceTableArn(
  arn: string,
  member: string,
): { readonly context: RequestContext; readonly tableName: string } {
  const [, region, accountId, tableName] = pattern.exec(arn) ?? [];
  if (region === undefined || accountId === undefined || tableName === undefined) {
    throw invalidParameter(`${member} is not a valid ARN`);
  }
  return { context: { accountId, region }, tableName };
}
