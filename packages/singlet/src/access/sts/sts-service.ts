import { DynamoError } from '../../values/service-error.ts';
import type { Authenticator, IncomingRequest, Requester } from '../authentication/authenticator.ts';
import type { AuthKey, RandomBytes } from '../identity/auth-key.ts';
import type { IdentityDirectory, Role } from '../identity/identity-directory.ts';
import { newIdentifier, newSecretAccessKey } from '../identity/new-identifiers.ts';
import { sealSession, type SessionContent, sessionTokenLengthMax } from '../identity/session-token.ts';
import { type AssumeRoleRequest, readAssumeRole } from './assume-role-request.ts';
import { assumeRoleDenied, checkMayAssume } from './may-assume.ts';
import { QueryRequest } from './query-request.ts';
import { StsError } from './sts-error.ts';

export interface StsOptions {
  readonly authenticator: Authenticator;
  readonly directory: () => IdentityDirectory;
  readonly authKey: () => AuthKey;
  readonly random: RandomBytes;
  readonly nowMs: () => number;
}

export interface StsAnswer {
  readonly status: number;
  /** XML. */
  readonly text: string;
  /** The action of the API: `AssumeRole`; undefined if the request names no existing one. */
  readonly action: string | undefined;
  /** The code of the returned error. */
  readonly error?: string;
  /** The sender, once it is known. */
  readonly requester?: Requester | undefined;
  /** Set for a failure that the API does not document. */
  readonly internal?: unknown;
}

const namespace = 'https://sts.amazonaws.com/doc/2011-06-15/';
const version = '2011-06-15';
/** The default duration of a session, and the maximum when a session requests it: seconds. */
const defaultSeconds = 3600;
const chainedSecondsMax = 3600;
/** The maximum size of a request body, bytes: more than all parameters can take. */
const bodyBytesMax = 128 * 1024;

/** The part of the STS API that sessions of roles need: AssumeRole and GetCallerIdentity, in the query protocol. */
export class StsService {
  readonly #options: StsOptions;

  constructor(options: StsOptions) {
    this.#options = options;
  }

  /** Answers a request. Never throws. */
  answer(request: IncomingRequest, requestId: string): StsAnswer {
    let action: string | undefined;
    let requester: Requester | undefined;
    try {
      if (request.body.length > bodyBytesMax)
        throw new StsError('RequestEntityTooLarge', 'The request is too large', { status: 413 });
      const query = new QueryRequest(request.body);
      action = actionOf(query);
      requester = this.#options.authenticator.authenticate(request, 'sts');
      const result = action === 'AssumeRole' ? this.#assumeRole(query, requester) : callerIdentity(requester);
      const text = `<${action}Response xmlns="${namespace}"><${action}Result>${result}</${action}Result><ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata></${action}Response>`;
      return { status: 200, text, action, requester };
    } catch (error) {
      return { ...errorAnswer(error, requestId), action, requester };
    }
  }

  #assumeRole(query: QueryRequest, requester: Requester): string {
    const { directory, authKey, random, nowMs } = this.#options;
    const request = readAssumeRole(query);
    const { caller, origin, context, session: calling } = requester;
    const role = directory().role(request.roleArn);
    if (role === undefined) throw assumeRoleDenied(caller, 'sts:AssumeRole', request.roleArn);
    const issuedAtMs = nowMs();
    checkMayAssume(role, { caller, origin, region: context.region, nowMs: issuedAtMs, request });
    const session: SessionContent = {
      accountId: role.accountId,
      roleName: role.name,
      roleId: role.id,
      sessionName: request.roleSessionName,
      secretAccessKey: newSecretAccessKey(random),
      ...tagsOf(request, calling),
      policies: request.policy === undefined ? [] : [request.policy],
      sourceIdentity: sourceIdentityOf(request, calling),
      issuedAtMs,
      expiresAtMs: issuedAtMs + secondsOf(request, role, calling !== undefined) * 1000,
    };
    const accessKeyId = newIdentifier('ASIA', random);
    const token = sealSession(authKey(), accessKeyId, session, random);
    const packedSize = Math.ceil((100 * token.length) / sessionTokenLengthMax);
    if (packedSize > 100) {
      throw new StsError(
        'PackedPolicyTooLarge',
        `Packed size of session tags and policy consumes ${packedSize}% of allotted space.`,
      );
    }
    return [
      element('Credentials', [
        element('AccessKeyId', accessKeyId),
        element('SecretAccessKey', session.secretAccessKey),
        element('SessionToken', token),
        element('Expiration', `${new Date(session.expiresAtMs).toISOString().slice(0, 19)}Z`),
      ]),
      element('AssumedRoleUser', [
        element('AssumedRoleId', `${role.id}:${session.sessionName}`),
        element('Arn', `arn:aws:sts::${role.accountId}:assumed-role/${role.name}/${session.sessionName}`),
      ]),
      element('PackedPolicySize', String(packedSize)),
      ...(session.sourceIdentity === undefined ? [] : [element('SourceIdentity', session.sourceIdentity)]),
    ].join('');
  }
}

function actionOf(query: QueryRequest): 'AssumeRole' | 'GetCallerIdentity' {
  const action = query.get('Action');
  if (action === undefined) throw new StsError('MissingAction', 'The request must contain the parameter Action');
  const asked = query.get('Version');
  if (asked === version && (action === 'AssumeRole' || action === 'GetCallerIdentity')) return action;
  throw new StsError(
    'InvalidAction',
    `Could not find operation ${action} for version ${asked ?? 'NO_VERSION_SPECIFIED'}`,
  );
}

function callerIdentity({ caller }: Requester): string {
  return element('Arn', caller.arn) + element('UserId', caller.userId) + element('Account', caller.accountId);
}

/** Transitive tags of the calling session are passed on, and cannot be overridden. */
function tagsOf(
  { tags, transitiveTagKeys }: AssumeRoleRequest,
  calling: SessionContent | undefined,
): Pick<SessionContent, 'tags' | 'transitiveTagKeys'> {
  const inheritedKeys = new Set(calling?.transitiveTagKeys);
  if (Object.keys(tags).some((key) => inheritedKeys.has(key.toLowerCase()))) {
    throw new StsError(
      'InvalidParameterValue',
      "One of the specified transitive tag keys can't be set because it conflicts with a transitive tag key from the calling session.",
    );
  }
  const inherited = Object.entries(calling?.tags ?? {}).filter(([key]) => inheritedKeys.has(key.toLowerCase()));
  return {
    tags: { ...Object.fromEntries(inherited), ...tags },
    transitiveTagKeys: [...inheritedKeys, ...transitiveTagKeys],
  };
}

/** Once set, it is kept by all later sessions in the chain. */
function sourceIdentityOf(
  { sourceIdentity }: AssumeRoleRequest,
  calling: SessionContent | undefined,
): string | undefined {
  const before = calling?.sourceIdentity;
  if (before !== undefined && sourceIdentity !== undefined && before !== sourceIdentity) {
    throw new StsError('AccessDenied', 'The source identity of the calling session cannot be changed.', {
      status: 403,
    });
  }
  return before ?? sourceIdentity;
}

function secondsOf({ durationSeconds }: AssumeRoleRequest, role: Role, isChained: boolean): number {
  if (isChained && durationSeconds !== undefined && durationSeconds > chainedSecondsMax) {
    throw new StsError(
      'ValidationError',
      'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining',
    );
  }
  if (durationSeconds !== undefined && durationSeconds > role.maxSessionSeconds) {
    throw new StsError(
      'ValidationError',
      'The requested DurationSeconds exceeds the MaxSessionDuration set for this role.',
    );
  }
  return durationSeconds ?? defaultSeconds;
}

function errorAnswer(
  error: unknown,
  requestId: string,
): { readonly status: number; readonly text: string; readonly error: string; readonly internal?: unknown } {
  const known = error instanceof StsError ? error : error instanceof DynamoError ? signatureError(error) : undefined;
  const { status, code, message } = known ?? { status: 500, code: 'InternalFailure', message: 'Internal server error' };
  const type = status < 500 ? 'Sender' : 'Receiver';
  const body = element('Error', [element('Type', type), element('Code', code), element('Message', message)]);
  const text = `<ErrorResponse xmlns="${namespace}">${body}${element('RequestId', requestId)}</ErrorResponse>`;
  return { status, text, error: code, ...(known === undefined && { internal: error }) };
}

/** The error of a signature, in the form of the query protocol. */
function signatureError(error: DynamoError): StsError {
  const code = codes.get(error.name);
  if (code === undefined)
    return new StsError('InternalFailure', 'Internal server error', { status: 500, cause: error });
  return new StsError(code, error.message, { status: code === 'IncompleteSignature' ? 400 : 403, cause: error });
}

const codes: ReadonlyMap<string, string> = new Map([
  ['MissingAuthenticationTokenException', 'MissingAuthenticationToken'],
  ['IncompleteSignatureException', 'IncompleteSignature'],
  ['InvalidSignatureException', 'SignatureDoesNotMatch'],
  ['UnrecognizedClientException', 'InvalidClientTokenId'],
  ['ExpiredTokenException', 'ExpiredToken'],
]);

function element(name: string, content: string | readonly string[]): string {
  return `<${name}>${typeof content === 'string' ? escaped(content) : content.join('')}</${name}>`;
}

/** Omits characters that XML cannot contain. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(forbidden, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

// eslint-disable-next-line no-control-regex
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
