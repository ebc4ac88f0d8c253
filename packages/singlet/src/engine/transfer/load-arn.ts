import type { RequestContext } from '../environment.ts';
import type { LoadKind, LoadRecord } from './load-record.ts';

/** The last parts of an ARN. That of bulk operations is assumed: only the length of their ARNs is known. */
const kinds = { import: 'import', bulk: 'bulk-operation' } as const;

/** `arn:aws:dynamodb:us-east-1:000000000000:table/Music/import/01658528578619-c4d4e311` */
export function loadArn({ kind, region, accountId, tableName, loadId }: LoadRecord): string {
  return `arn:aws:dynamodb:${region}:${accountId}:table/${tableName}/${kinds[kind]}/${loadId}`;
}

export function loadTableArn({ region, accountId, tableName }: LoadRecord): string {
  return `arn:aws:dynamodb:${region}:${accountId}:table/${tableName}`;
}

/** An id that sorts by time: fourteen digits of milliseconds and eight random ones. */
export function newLoadId(nowMs: number, random: Uint8Array): string {
  return `${String(nowMs).padStart(14, '0')}-${Buffer.from(random.subarray(0, 4)).toString('hex')}`;
}

export interface ParsedLoadArn extends RequestContext {
  readonly tableName: string;
  readonly loadId: string;
}

/** The load that an ARN names; undefined if it is not the ARN of such a load. */
export function parseLoadArn(kind: LoadKind, arn: string): ParsedLoadArn | undefined {
  const pattern =
    /^arn:aws[a-z-]*:dynamodb:([^:]+):([^:]+):table\/([a-zA-Z0-9_.-]{3,255})\/([a-z-]+)\/([0-9]{14}-[0-9a-f]{8})$/;
  const [, region, accountId, tableName, found, loadId] = pattern.exec(arn) ?? [];
  if (region === undefined || accountId === undefined || tableName === undefined || loadId === undefined)
    return undefined;
  return found === kinds[kind] ? { region, accountId, tableName, loadId } : undefined;
}
