import { DynamoError, ValidationException } from '../../values/service-error.ts';
import type { EngineServices } from '../services.ts';
import { invalidParameter } from '../catalog/parameter-errors.ts';

/*
 * The actions of the 2017 version of global tables. The service creates no such tables any more, in any region, and these actions
 * do not see tables of the 2019 version. So they never find a table.
 */

export interface CreateGlobalTableRequest {
  readonly globalTableName: string;
  readonly replicationGroup: readonly { readonly regionName?: string | undefined }[];
}

export interface UpdateGlobalTableRequest {
  readonly globalTableName: string;
  readonly replicaUpdates: readonly {
    readonly create?: { readonly regionName: string } | undefined;
    readonly delete?: { readonly regionName: string } | undefined;
  }[];
}

export interface GlobalTableNameRequest {
  readonly globalTableName: string;
}

export interface ListGlobalTablesRequest {
  readonly exclusiveStartGlobalTableName?: string | undefined;
  readonly limit?: number | undefined;
  readonly regionName?: string | undefined;
}

export interface ListGlobalTablesResult {
  readonly globalTables: readonly object[];
}

/** @throws {ValidationException} always. */
export async function createGlobalTable(_services: EngineServices, _request: CreateGlobalTableRequest): Promise<never> {
  throw notSupported();
}

/** @throws {ValidationException} | {GlobalTableNotFoundException} always: the version is checked before the table. */
export async function updateGlobalTable(
  _services: EngineServices,
  { globalTableName, replicaUpdates }: UpdateGlobalTableRequest,
): Promise<never> {
  // The service's text has no more detail here.
  if (replicaUpdates.length === 0) throw new ValidationException('One or more parameter values were invalid');
  if (replicaUpdates.some(({ create }) => create !== undefined)) throw notSupported();
  throw notFound(globalTableName);
}

/** @throws {GlobalTableNotFoundException} always. */
export async function describeGlobalTable(
  _services: EngineServices,
  { globalTableName }: GlobalTableNameRequest,
): Promise<never> {
  throw notFound(globalTableName, 'Global table not found: ');
}

/** @throws {GlobalTableNotFoundException} always. */
export async function describeGlobalTableSettings(
  _services: EngineServices,
  { globalTableName }: GlobalTableNameRequest,
): Promise<never> {
  throw notFound(globalTableName);
}

/** @throws {GlobalTableNotFoundException} always. */
export async function updateGlobalTableSettings(
  _services: EngineServices,
  { globalTableName }: GlobalTableNameRequest,
): Promise<never> {
  throw notFound(globalTableName);
}

/** @returns an empty list, since no such tables exist. */
export async function listGlobalTables(
  _services: EngineServices,
  _request: ListGlobalTablesRequest,
): Promise<ListGlobalTablesResult> {
  return { globalTables: [] };
}

function notSupported(): ValidationException {
  return invalidParameter(
    'DynamoDB global tables version 2017.11.29 is not supported. We recommend using DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).',
  );
}

function notFound(globalTableName: string, before = ''): DynamoError {
  const text = `${before}Global table with name: '${globalTableName}' does not exist.`;
  return new DynamoError('GlobalTableNotFoundException', text);
}
