import { incompleteSignature, invalidSignature, missingAuthenticationToken } from './signature-error.ts';

/** The parts of a request that its signature covers. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as it was sent, possibly compressed. */
  readonly body: Uint8Array;
}

/** A signature as a request carries it: in its Authorization header, or in the query of a presigned URL. Nothing has been checked yet. */
export interface SignatureParts {
  readonly algorithm: string;
  /** `keyid/date/region/service/aws4_request`. */
  readonly credential: string;
  /** Names, separated by semicolons. */
  readonly signedHeaders: string;
  readonly signature: string;
  /** As given in the request: `20261120T120000Z`. */
  readonly date: string;
  readonly sessionToken: string | undefined;
  /** Whether the parts are in the query. */
  readonly isPresigned: boolean;
}

/**
 * Finds the signature of a request.
 *
 * @throws {DynamoError} InvalidSignatureException, MissingAuthenticationTokenException or IncompleteSignatureException: the service's answers
 *   when there is no signature, when there are two, or when one is incomplete. Order and texts: recorded by dynalite, 2013.
 */
export function readSignatureParts(request: SignedRequest): SignatureParts {
  const { authorization } = request.headers;
  const parameters = queryOf(request.url);
  const isPresigned = parameters?.has('X-Amz-Algorithm') === true;
  if (authorization !== undefined && authorization !== '' && isPresigned) {
    throw invalidSignature("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
  }
  if (parameters !== undefined && isPresigned) return presignedParts(parameters);
  if (authorization === undefined || !authorization.trimStart().startsWith('AWS4-')) throw missingAuthenticationToken();
  return headerParts(authorization, request.headers);
}

function headerParts(authorization: string, headers: SignedRequest['headers']): SignatureParts {
  const [algorithm = '', ...pairs] = authorization.split(separators).filter((part) => part !== '');
  let credential = '';
  let signature = '';
  let signedHeaders = '';
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals < 0) {
      throw incompleteSignature(
        `'${pair}' not a valid key=value pair (missing equal-sign) in Authorization header: '${authorization}'.`,
      );
    }
    const value = pair.slice(equals + 1);
    const name = pair.slice(0, equals);
    if (name === 'Credential') credential = value;
    else if (name === 'Signature') signature = value;
    else if (name === 'SignedHeaders') signedHeaders = value;
  }
  const date = headers['x-amz-date'] || headers['date'] || '';
  if (credential === '' || signature === '' || signedHeaders === '' || date === '') {
    const problems = [
      ...missingPart('Credential', credential),
      ...missingPart('Signature', signature),
      ...missingPart('SignedHeaders', signedHeaders),
      ...(date === '' ? ["Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "] : []),
    ];
    throw incompleteSignature(`${problems.join('')}Authorization=${authorization}`);
  }
  const sessionToken = headers['x-amz-security-token'];
  return { algorithm, credential, signedHeaders, signature, date, sessionToken, isPresigned: false };
}

/** Clients separate the parts of the header by commas, blanks, or both. */
const separators = /[,\s]+/;

function missingPart(name: string, value: string): readonly string[] {
  return value === '' ? [`Authorization header requires '${name}' parameter. `] : [];
}

function presignedParts(parameters: ReadonlyMap<string, string>): SignatureParts {
  const value = (name: string): string => parameters.get(name) ?? '';
  const missing = presignedNames.filter((name) => value(name) === '');
  if (missing.length > 0) {
    const problems = missing.map((name) => `AWS query-string parameters must include '${name}'. `);
    throw incompleteSignature(`${problems.join('')}Re-examine the query-string parameters.`);
  }
  return {
    algorithm: value('X-Amz-Algorithm'),
    credential: value('X-Amz-Credential'),
    signedHeaders: value('X-Amz-SignedHeaders'),
    signature: value('X-Amz-Signature'),
    date: value('X-Amz-Date'),
    sessionToken: parameters.get('X-Amz-Security-Token'),
    isPresigned: true,
  };
}

/** In the order in which the service reports them as missing. */
const presignedNames = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Signature',
  'X-Amz-SignedHeaders',
  'X-Amz-Date',
] as const;

/** The parameters of a URL, decoded. @returns undefined where there is no query. */
function queryOf(url: string): ReadonlyMap<string, string> | undefined {
  const start = url.indexOf('?');
  if (start < 0) return undefined;
  return new Map(queryParameters(url.slice(start + 1)));
}

/** The decoded names and values of a query, in their order. A plus sign is a plus sign: clients sign it as such. */
export function queryParameters(query: string): readonly (readonly [name: string, value: string])[] {
  return query
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => {
      const equals = parameter.indexOf('=');
      if (equals < 0) return [decoded(parameter), ''];
      return [decoded(parameter.slice(0, equals)), decoded(parameter.slice(equals + 1))];
    });
}

/** Invalid encodings are left unchanged; the signature will then not match. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
