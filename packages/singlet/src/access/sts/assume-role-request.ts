import { identityLimits } from '../identity/identity-document.ts';
import { parsePolicy, PolicyError } from '../policy/policy-document.ts';
import type { QueryRequest } from './query-request.ts';
import { StsError, stsValidationError } from './sts-error.ts';

export interface AssumeRoleRequest {
  readonly roleArn: string;
  readonly roleSessionName: string;
  readonly durationSeconds: number | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly transitiveTagKeys: readonly string[];
  /** In its original text. */
  readonly policy: string | undefined;
  readonly externalId: string | undefined;
  readonly sourceIdentity: string | undefined;
}

const policyLengthMax = 2048;
const shortestSeconds = 900;
const longestSeconds = 43_200;

/**
 * @throws {StsError} ValidationError, MalformedPolicyDocument, InvalidParameterValue.
 * @see STS API Reference, AssumeRole
 */
export function readAssumeRole(request: QueryRequest): AssumeRoleRequest {
  const roleArn = needed(request, 'RoleArn', 'roleArn');
  const roleSessionName = needed(request, 'RoleSessionName', 'roleSessionName');
  if (roleArn.length < 20 || roleArn.length > 2048) {
    throw stsValidationError('roleArn', roleArn.slice(0, 100), 'have length between 20 and 2048');
  }
  checkName(roleSessionName, 'roleSessionName');
  const sourceIdentity = request.get('SourceIdentity');
  if (sourceIdentity !== undefined) checkName(sourceIdentity, 'sourceIdentity');
  const externalId = request.get('ExternalId');
  if (externalId !== undefined && !/^[\w+=,.@:/-]{2,1224}$/.test(externalId)) {
    throw stsValidationError(
      'externalId',
      externalId.slice(0, 100),
      'satisfy regular expression pattern: [\\w+=,.@:\\/-]*',
    );
  }
  if (request.has('PolicyArns.')) {
    throw new StsError(
      'ValidationError',
      'PolicyArns names managed policies, which this server has none of: give the policy itself as Policy.',
    );
  }
  if (request.has('SerialNumber') || request.has('TokenCode') || request.has('ProvidedContexts')) {
    throw new StsError('ValidationError', 'SerialNumber, TokenCode and ProvidedContexts are not known to this server.');
  }
  const tags = readTags(request);
  return {
    roleArn,
    roleSessionName,
    durationSeconds: readDuration(request.get('DurationSeconds')),
    tags,
    transitiveTagKeys: readTransitiveKeys(request.list('TransitiveTagKeys'), tags),
    policy: readPolicy(request.get('Policy')),
    externalId,
    sourceIdentity,
  };
}

function needed(request: QueryRequest, parameter: string, member: string): string {
  const value = request.get(parameter);
  if (value !== undefined) return value;
  throw new StsError(
    'ValidationError',
    `1 validation error detected: Value null at '${member}' failed to satisfy constraint: Member must not be null`,
  );
}

function checkName(name: string, member: string): void {
  if (name.length < 2) throw stsValidationError(member, name, 'have length greater than or equal to 2');
  if (name.length > 64) throw stsValidationError(member, name.slice(0, 100), 'have length less than or equal to 64');
  if (!/^[\w+=,.@-]*$/.test(name)) {
    throw stsValidationError(member, name, 'satisfy regular expression pattern: [\\w+=,.@-]*');
  }
}

function readDuration(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (!/^\d{1,9}$/.test(text)) throw new StsError('MalformedInput', 'DurationSeconds is not a whole number');
  if (seconds < shortestSeconds) {
    throw stsValidationError('durationSeconds', text, `have value greater than or equal to ${shortestSeconds}`);
  }
  if (seconds > longestSeconds) {
    throw stsValidationError('durationSeconds', text, `have value less than or equal to ${longestSeconds}`);
  }
  return seconds;
}

function readTags(request: QueryRequest): Readonly<Record<string, string>> {
  const { tagsMax, tagKeyLengthMax, tagValueLengthMax } = identityLimits;
  const entries = request.structures('Tags', ['Key', 'Value']);
  if (entries.length > tagsMax) throw stsValidationError('tags', '[…]', `have length less than or equal to ${tagsMax}`);
  const tags = new Map<string, readonly [key: string, value: string]>();
  for (const [at, { Key: key = '', Value: value }] of entries.entries()) {
    const member = `tags.${at + 1}.member`;
    if (value === undefined) {
      throw new StsError(
        'ValidationError',
        `1 validation error detected: Value null at '${member}.value' failed to satisfy constraint: Member must not be null`,
      );
    }
    if (key.length < 1 || key.length > tagKeyLengthMax || !tagText.test(key)) {
      throw stsValidationError(
        `${member}.key`,
        key.slice(0, 200),
        'satisfy regular expression pattern: [\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]+',
      );
    }
    if (value.length > tagValueLengthMax || !tagText.test(value)) {
      throw stsValidationError(
        `${member}.value`,
        value.slice(0, 300),
        'satisfy regular expression pattern: [\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*',
      );
    }
    const name = key.toLowerCase();
    if (tags.has(name)) {
      throw new StsError(
        'InvalidParameterValue',
        'Duplicate tag keys found. Please note that Tag keys are case insensitive.',
      );
    }
    tags.set(name, [key, value]);
  }
  return Object.fromEntries(tags.values());
}

const tagText = /^[\p{L}\p{Z}\p{N}_.:/=+@-]*$/u;

function readTransitiveKeys(keys: readonly string[], tags: Readonly<Record<string, string>>): readonly string[] {
  const names = new Set(Object.keys(tags).map((key) => key.toLowerCase()));
  const missing = keys.find((key) => !names.has(key.toLowerCase()));
  if (missing !== undefined) {
    throw new StsError(
      'InvalidParameterValue',
      `The specified transitive tag key ${missing} must be included in the requested tags.`,
    );
  }
  return keys.map((key) => key.toLowerCase());
}

function readPolicy(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.length < 1 || text.length > policyLengthMax) {
    throw stsValidationError('policy', text.slice(0, 100), `have length between 1 and ${policyLengthMax}`);
  }
  try {
    parsePolicy(text, 'identity');
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw new StsError('MalformedPolicyDocument', `The policy is not in the valid JSON format: ${cause.message}`, {
      cause,
    });
  }
  return text;
}
