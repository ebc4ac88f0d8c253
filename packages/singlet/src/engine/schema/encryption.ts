import type { Store, StoreManifest } from '../../storage/store.ts';
import type { RequestContext } from '../environment.ts';
import { textHash } from '../layout/partition-hash.ts';
import { uuidOf } from '../layout/uuid.ts';
import { invalidParameter } from '../catalog/parameter-errors.ts';
import type { ServerSideEncryptionSpecification, TableDescription } from '../catalog/table-description.ts';
import type { EncryptionRecord, TableRecord } from '../catalog/table-record.ts';

/*
 * Whether values are encrypted at rest is decided when the store is opened, for all tables alike, and the store reports it. Here a
 * specification is checked, stored and described as the service does: KMS keys are named but not looked up. Without a specification
 * DescribeTable does not mention encryption, and neither does the service for tables that are encrypted with its own key.
 */

/** @throws {ValidationException} if the members conflict. */
export function checkEncryption(specification: ServerSideEncryptionSpecification | undefined): void {
  if (specification === undefined) return;
  const { enabled, sseType, kmsMasterKeyId } = specification;
  if (enabled === false && sseType !== undefined)
    throw invalidParameter('SSEType can not be specified if Enabled is false');
  if (enabled === false && kmsMasterKeyId !== undefined) {
    throw invalidParameter('KMSMasterKeyId can not be specified if Enabled is false');
  }
  if (sseType === 'AES256') throw invalidParameter('SSEType AES256 is not supported');
  if (kmsMasterKeyId !== undefined && sseType === undefined) {
    throw invalidParameter('SSEType KMS is required if KMSMasterKeyId is specified');
  }
}

/**
 * @throws {ValidationException} if encryption is requested and the store keeps values in plain text. The text is our own: the service has
 *   no such case.
 */
export function checkCanEncrypt(
  specification: ServerSideEncryptionSpecification | undefined,
  { manifest }: Pick<Store, 'manifest'>,
): void {
  if (!isPlain(manifest) || !isEnabled(specification)) return;
  throw invalidParameter(
    'SSESpecification cannot be enabled: the data of this server is not encrypted at rest. Start it with a key for that (--encryption-key)',
  );
}

function isPlain({ atRest = 'plain' }: StoreManifest): boolean {
  return atRest === 'plain';
}

function isEnabled(specification: ServerSideEncryptionSpecification | undefined): boolean {
  const { enabled, sseType } = specification ?? {};
  return enabled ?? sseType !== undefined;
}

/** The alias of the key that each account has for DynamoDB in each region. */
export const managedKeyAlias = 'alias/aws/dynamodb';

/** The specification as stored: undefined for the default encryption. The key is resolved to its ARN. */
export function resolveEncryption(
  specification: ServerSideEncryptionSpecification | undefined,
  context: RequestContext,
): EncryptionRecord | undefined {
  if (specification === undefined) return undefined;
  const { kmsMasterKeyId } = specification;
  if (!isEnabled(specification)) return undefined;
  const isManaged = kmsMasterKeyId === undefined || kmsMasterKeyId === managedKeyAlias;
  return {
    enabled: true,
    sseType: 'KMS',
    kmsMasterKeyId: keyArn(kmsMasterKeyId ?? managedKeyAlias, context),
    ...(isManaged && { isManaged }),
  };
}

/**
 * The specification after a change.
 *
 * @throws {ValidationException} if nothing would change.
 */
export function changeEncryption(
  present: ServerSideEncryptionSpecification | undefined,
  specification: ServerSideEncryptionSpecification,
  context: RequestContext,
): EncryptionRecord | undefined {
  const next = resolveEncryption(specification, context);
  if (next === undefined && present === undefined) throw invalidParameter('Table is already encrypted by default');
  // Only the ARN itself is recognised as that of the present key; an alias or a key id encrypts again.
  if (specification.kmsMasterKeyId !== undefined && specification.kmsMasterKeyId === present?.kmsMasterKeyId) {
    throw invalidParameter(
      'Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key',
    );
  }
  return next;
}

/** Omitted for a table that is not encrypted, whatever its creation requested. */
export function describeEncryption(
  { sseSpecification, sseUpdatingUntilMs }: TableRecord,
  { manifest }: Pick<Store, 'manifest'>,
): TableDescription['sseDescription'] {
  if (sseSpecification === undefined || isPlain(manifest)) return undefined;
  const { kmsMasterKeyId } = sseSpecification;
  return {
    status: sseUpdatingUntilMs === undefined ? 'ENABLED' : 'UPDATING',
    sseType: 'KMS',
    ...(kmsMasterKeyId !== undefined && { kmsMasterKeyArn: kmsMasterKeyId }),
  };
}

/** A key is named by ARN, by id, or by alias. There is no key management service here, so an alias gets a generated key. */
export function keyArn(keyId: string, { accountId, region }: RequestContext): string {
  if (keyId.startsWith('arn:') && keyId.includes(':key/')) return keyId;
  const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^mrk-[0-9a-f]{32}$/i.test(keyId)
    ? keyId
    : uuidOf(textHash('kms', accountId, region, keyId));
  return `arn:aws:kms:${region}:${accountId}:key/${id}`;
}
