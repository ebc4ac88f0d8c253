import { incompleteSignature, invalidSignature } from './signature-error.ts';

/** The scope of a signature: `AKIA…/20261120/eu-west-1/dynamodb/aws4_request`. */
export interface CredentialScope {
  readonly accessKeyId: string;
  /** `20261120`. */
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly terminator: string;
  /** All but the key: the part that is signed. */
  readonly text: string;
}

/** @throws {DynamoError} IncompleteSignatureException for another number of parts. */
export function readCredentialScope(credential: string): CredentialScope {
  const parts = credential.split('/');
  if (parts.length !== 5) {
    throw incompleteSignature(
      `Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '${credential}'`,
    );
  }
  const [accessKeyId, date, region, service, terminator] = parts as [string, string, string, string, string]; // five
  return { accessKeyId, date, region, service, terminator, text: parts.slice(1).join('/') };
}

/**
 * Checks that a scope is valid for this service, and reports all errors at once.
 *
 * @param date - of the request, `20261120T120000Z`.
 * @throws {DynamoError} InvalidSignatureException.
 */
export function checkCredentialScope(
  { date: day, region, service, terminator }: CredentialScope,
  expected: { readonly service: string; readonly date: string; readonly isRegion: (name: string) => boolean },
): void {
  const { date } = expected;
  let problems = '';
  if (!expected.isRegion(region)) problems += `Credential should be scoped to a valid region, not '${region}'. `;
  if (service !== expected.service) {
    problems += `Credential should be scoped to correct service: '${expected.service}'. `;
  }
  if (terminator !== 'aws4_request') {
    problems += `Credential should be scoped with a valid terminator: 'aws4_request', not '${terminator}'. `;
  }
  if (day !== date.slice(0, 8)) {
    problems += `Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '${day}' != '${date.slice(0, 8)}', from '${date}'.`;
  }
  if (problems !== '') throw invalidSignature(problems);
}
