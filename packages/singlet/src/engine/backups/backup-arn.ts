import type { RequestContext } from '../environment.ts';
import { accessDenied, invalidBackupArn } from './backup-errors.ts';

/** The parts of a backup's ARN. */
export interface BackupIdentity {
  readonly region: string;
  readonly tableName: string;
  /** `01791504762511-2779fadd`: the time of the request, and a suffix that makes it unique. Ids sort by age. */
  readonly backupId: string;
}

const pattern = /^arn:aws[a-z-]*:dynamodb:([^:]+):([^:]+):table\/([a-zA-Z0-9_.-]{3,255})\/backup\/([0-9a-f-]{1,64})$/;

export function backupArnOf(
  { accountId, region }: RequestContext,
  { tableName, backupId }: Pick<BackupIdentity, 'tableName' | 'backupId'>,
): string {
  return `arn:aws:dynamodb:${region}:${accountId}:table/${tableName}/backup/${backupId}`;
}

/** @param suffix - eight hexadecimal digits. */
export function backupIdOf(createdAtMs: number, suffix: string): string {
  return `${String(createdAtMs).padStart(14, '0')}-${suffix}`;
}

/**
 * Parses the ARN of a backup.
 *
 * @throws {ValidationException} when it is not the ARN of a backup.
 * @throws {AccessDeniedException} when it belongs to another account.
 */
export function parseBackupArn(arn: string, context: RequestContext): BackupIdentity {
  const [, region, accountId, tableName, backupId] = pattern.exec(arn) ?? [];
  if (region === undefined || tableName === undefined || backupId === undefined) throw invalidBackupArn();
  if (accountId !== context.accountId) throw accessDenied();
  return { region, tableName, backupId };
}
