import { createHmac, hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DynamoError } from '../../values/service-error.ts';
import { presignedRequest, signedRequest, targetHeaders, type TestCredentials } from '../testing/signed-request.ts';
import type { SignedRequest } from './signature-parts.ts';
import { type FoundKey, type SignedService, SignatureVerifier } from './verify-signature.ts';

const nowMs = Date.UTC(2026, 10, 20, 12, 0, 0);
const alice: TestCredentials = { accessKeyId: 'AKIAALICE00000000001', secretAccessKey: 'secret/of+Alice' };
const session: TestCredentials = {
  accessKeyId: 'ASIASESSION000000001',
  secretAccessKey: 'secret of a session',
  sessionToken: 'token+of/the session==',
};

function verifier(nowAtMs = nowMs): SignatureVerifier<string> {
  return new SignatureVerifier({ findKey, nowMs: () => nowAtMs, isRegion: (name) => /^[a-z]+-[a-z]+-\d$/.test(name) });
}

function findKey(accessKeyId: string, sessionToken: string | undefined): FoundKey<string> {
  if (accessKeyId === alice.accessKeyId) return { secretAccessKey: alice.secretAccessKey, holder: 'alice' };
  if (accessKeyId !== session.accessKeyId) return 'unknown';
  if (sessionToken !== session.sessionToken) return 'wrong-token';
  return { secretAccessKey: session.secretAccessKey, holder: 'session', sessionExpiresAtMs: nowMs + 3_600_000 };
}

/** The outcome of a request; `ok` with the holder of the key if the signature is right. */
function outcome(
  request: SignedRequest,
  { at = nowMs, service = 'dynamodb' }: { readonly at?: number; readonly service?: SignedService } = {},
): string {
  try {
    return `ok ${verifier(at).verify(request, service).holder}`;
  } catch (error) {
    if (!(error instanceof DynamoError)) throw error;
    return `${error.name}: ${error.message}`;
  }
}

const getItem = { headers: targetHeaders('GetItem'), body: '{"TableName":"T"}', nowMs } as const;
const mismatch = /^InvalidSignatureException: The request signature we calculated does not match/;

const headerValue = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
const blanks = fc.stringMatching(/^[ \t]{0,3}$/);

describe('what the signer of the AWS SDK signs is accepted', () => {
  test('headers and bodies of any kind, in any order, with blanks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.stringMatching(/^x-(amz-)?[a-z]{1,8}$/), headerValue, { maxKeys: 4 }),
        fc.uint8Array({ maxLength: 64 }),
        fc.array(blanks, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(alice, session),
        async (extra, body, spaces, credentials) => {
          const headers = { ...extra, ...targetHeaders('GetItem') };
          const request = await signedRequest(credentials, { headers, body, nowMs });
          const padded = Object.entries(request.headers).map(([name, value], at) => {
            // HTTP parsers trim values; blanks inside them are kept.
            const space = /^(authorization|x-amz-(date|security-token))$/.test(name)
              ? ''
              : (spaces[at % spaces.length] ?? '');
            return [name, `${space}${value}${space}`] as const;
          });
          expect(outcome({ ...request, headers: Object.fromEntries(padded.toReversed()) })).toMatch(/^ok/);
        },
      ),
    );
  });

  test('parts of the Authorization header separated by commas, blanks or both, in any order', async () => {
    const request = await signedRequest(alice, getItem);
    const [algorithm = '', ...parts] = (request.headers['authorization'] ?? '').split(/[, ]+/);
    expect(parts).toHaveLength(3);
    fc.assert(
      fc.property(
        fc.shuffledSubarray(parts, { minLength: 3 }),
        fc.array(fc.stringMatching(/^([ \t]{1,2}|[ ]{0,2},[ ]{0,2})$/), { minLength: 2, maxLength: 2 }),
        fc.stringMatching(/^[ ]{0,2},?[ ]?$/),
        (shuffled, [first = ' ', second = ' '], end) => {
          const authorization = ` ${algorithm}  ${shuffled[0]}${first}${shuffled[1]}${second}${shuffled[2]}${end}`;
          expect(outcome({ ...request, headers: { ...request.headers, authorization } })).toBe('ok alice');
        },
      ),
    );
  });

  test('queries, and presigned URLs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.stringMatching(/^[a-z ()*!'~%&=é]{1,6}$/), fc.string({ unit: 'grapheme', maxLength: 6 }), {
          maxKeys: 3,
        }),
        fc.constantFrom(alice, session),
        fc.boolean(),
        async (query, credentials, isPresigned) => {
          const sign = isPresigned ? presignedRequest : signedRequest;
          const request = await sign(credentials, { ...getItem, query });
          expect(outcome(request)).toBe(credentials === alice ? 'ok alice' : 'ok session');
          expect(request.headers['authorization'] === undefined).toBe(isPresigned);
        },
      ),
    );
  });

  test('the same key in other regions, on other days, and again', async () => {
    const same = verifier();
    for (const region of ['us-east-1', 'eu-west-1', 'us-east-1']) {
      const request = await signedRequest(alice, { ...getItem, region });
      expect(same.verify(request, 'dynamodb')).toEqual({
        holder: 'alice',
        region,
        accessKeyId: alice.accessKeyId,
      });
    }
    const tomorrow = nowMs + 86_400_000;
    const request = await signedRequest(alice, { ...getItem, nowMs: tomorrow });
    expect(outcome(request, { at: tomorrow })).toBe('ok alice');
  });

  test('a Date header in place of X-Amz-Date, in the form of HTTP, too', async () => {
    const signed = await signedRequest(alice, getItem);
    for (const date of ['20261120T120000Z', 'Fri, 20 Nov 2026 12:00:00 GMT']) {
      const { 'x-amz-date': _date, authorization: _authorization, ...headers } = signed.headers;
      const names = ['content-type', 'date', 'host', 'x-amz-content-sha256', 'x-amz-target'];
      expect(outcome(handSigned({ ...signed, headers: { ...headers, date } }, names))).toBe('ok alice');
    }
  });
});

/** A small signer for what the SDK's signer never does, such as a Date header. */
function handSigned(request: SignedRequest, names: readonly string[]): SignedRequest {
  // The key is derived by the verifier's own code; this tests which date is used.
  const lines = names.map((name) => `${name}:${request.headers[name]}\n`).join('');
  const canonical = `POST\n/\n\n${lines}\n${names.join(';')}\n${hash('sha256', request.body)}`;
  const scope = '20261120/us-east-1/dynamodb/aws4_request';
  const text = `AWS4-HMAC-SHA256\n20261120T120000Z\n${scope}\n${hash('sha256', canonical)}`;
  const key = scope
    .split('/')
    .reduce<string | Buffer>((of, part) => hmac(of, part), `AWS4${alice.secretAccessKey}`) as Buffer;
  const credential = `${alice.accessKeyId}/${scope}`;
  const signature = hmac(key, text).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...request, headers: { ...request.headers, authorization } };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

describe('what was changed after it was signed is refused', () => {
  test('the body, a signed header, the method, the path of the query, the secret: one character each', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom('body', 'header', 'secret', 'query'), async (at, what) => {
        const secretAccessKey =
          what === 'secret' ? changed(alice.secretAccessKey, at % alice.secretAccessKey.length) : alice.secretAccessKey;
        const request = await signedRequest({ ...alice, secretAccessKey }, { ...getItem, query: { a: 'b' } });
        const names = ['content-type', 'x-amz-target', 'x-amz-content-sha256', 'host'];
        const name = names[at % names.length] ?? '';
        const value = request.headers[name] ?? '';
        const altered: SignedRequest =
          what === 'body'
            ? { ...request, body: Buffer.from(changed(getItem.body, at % getItem.body.length)) }
            : what === 'header'
              ? { ...request, headers: { ...request.headers, [name]: changed(value, at % value.length) } }
              : what === 'query'
                ? { ...request, url: at % 2 === 0 ? '/?a=c' : '/' }
                : request;
        expect(outcome(altered)).toMatch(mismatch);
      }),
    );
  });

  test('a signature that is only a part of the right one, longer, in capitals, or differs in any place', async () => {
    const request = await signedRequest(alice, getItem);
    const authorization = request.headers['authorization'] ?? '';
    const [, right = ''] = /Signature=([0-9a-f]{64})/.exec(authorization) ?? [];
    const wrong = [
      right.slice(0, 63),
      right.slice(0, 8),
      `${right}0`,
      right.toUpperCase(),
      ...Array.from(right, (_, at) => changed(right, at)),
    ];
    for (const signature of wrong) {
      const headers = { ...request.headers, authorization: authorization.replace(right, signature) };
      expect(outcome({ ...request, headers })).toMatch(mismatch);
    }
    expect(outcome(request)).toBe('ok alice');
  });

  test('names of signed headers that hold more than a name', async () => {
    const request = await presignedRequest(alice, getItem);
    const url = request.url.replace(/X-Amz-SignedHeaders=[^&]+/, 'X-Amz-SignedHeaders=host%0Ax%3Ay');
    expect(outcome({ ...request, url })).toMatch(/^InvalidSignatureException/);
  });

  test('a changed secret counts at once, although the key of the old one was kept', async () => {
    let secretAccessKey = alice.secretAccessKey;
    const verifier = new SignatureVerifier<string>({
      findKey: () => ({ secretAccessKey, holder: 'alice' }),
      nowMs: () => nowMs,
      isRegion: () => true,
    });
    const request = await signedRequest(alice, getItem);
    expect(verifier.verify(request, 'dynamodb').holder).toBe('alice');
    secretAccessKey = 'another';
    expect(() => verifier.verify(request, 'dynamodb')).toThrow('does not match');
  });
});

function changed(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`;
}

describe('DB-279 the errors of the service, in its order', () => {
  const scope = 'AKIAALICE00000000001/20261120/us-east-1/dynamodb/aws4_request';
  const full = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-date;x-amz-target, Signature=${'0'.repeat(64)}`;
  const base: SignedRequest = {
    method: 'POST',
    url: '/',
    headers: { host: '127.0.0.1:8000', 'x-amz-date': '20261120T120000Z', 'x-amz-target': 'DynamoDB_20120810.GetItem' },
    body: Buffer.from('{}'),
  };
  const withHeader = (authorization: string, headers: Record<string, string | undefined> = {}): SignedRequest => ({
    ...base,
    headers: { ...base.headers, authorization, ...headers },
  });
  const withCredential = (credential: string): SignedRequest => withHeader(full.replace(scope, credential));
  const queryParameters = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(scope)}&X-Amz-Signature=0&X-Amz-SignedHeaders=host&X-Amz-Date=20261120T120000Z`;

  test.each<[what: string, request: SignedRequest, answer: string]>([
    [
      'both places',
      { ...withHeader(full), url: `/?${queryParameters}` },
      "InvalidSignatureException: Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    ],
    ['no signature', base, 'MissingAuthenticationTokenException: Request is missing Authentication Token'],
    [
      'another scheme',
      withHeader('Basic abc'),
      'MissingAuthenticationTokenException: Request is missing Authentication Token',
    ],
    [
      'no parts',
      withHeader('AWS4-HMAC-SHA256', { 'x-amz-date': undefined }),
      "IncompleteSignatureException: Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-HMAC-SHA256",
    ],
    [
      'no signature among the parts',
      withHeader(`AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host`),
      `IncompleteSignatureException: Authorization header requires 'Signature' parameter. Authorization=AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host`,
    ],
    [
      'a part without a value',
      withHeader('AWS4-HMAC-SHA256 Credential'),
      "IncompleteSignatureException: 'Credential' not a valid key=value pair (missing equal-sign) in Authorization header: 'AWS4-HMAC-SHA256 Credential'.",
    ],
    [
      'parts of the query missing',
      { ...base, url: '/?X-Amz-Algorithm' },
      "IncompleteSignatureException: AWS query-string parameters must include 'X-Amz-Algorithm'. AWS query-string parameters must include 'X-Amz-Credential'. AWS query-string parameters must include 'X-Amz-Signature'. AWS query-string parameters must include 'X-Amz-SignedHeaders'. AWS query-string parameters must include 'X-Amz-Date'. Re-examine the query-string parameters.",
    ],
    [
      'a date in another form',
      withHeader(full, { 'x-amz-date': '201' }),
      "IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got '201'. See http://en.wikipedia.org/wiki/ISO_8601",
    ],
    [
      'a day that there is not',
      withHeader(full, { 'x-amz-date': '20261399T000000Z' }),
      "IncompleteSignatureException: Date must be in ISO-8601 'basic format'. Got '20261399T000000Z'. See http://en.wikipedia.org/wiki/ISO_8601",
    ],
    [
      'too old, whatever the key and the scope',
      withHeader('AWS4-x Credential=a, SignedHeaders=a, Signature=a', { 'x-amz-date': '20130301T000000Z' }),
      'InvalidSignatureException: Signature expired: 20130301T000000Z is now earlier than 20261120T114500Z (20261120T120000Z - 15 min.)',
    ],
    [
      'too early',
      withHeader(full, { 'x-amz-date': '20261120T121501Z' }),
      'InvalidSignatureException: Signature not yet current: 20261120T121501Z is still later than 20261120T121500Z (20261120T120000Z + 15 min.)',
    ],
    [
      'the host is not signed',
      withHeader(full.replace('host;', 'hos;')),
      "InvalidSignatureException: 'Host' must be a 'SignedHeader' in the AWS Authorization.",
    ],
    [
      'the action is not signed',
      withHeader(full.replace(';x-amz-target', '')),
      "InvalidSignatureException: 'x-amz-target' must be a 'SignedHeader' in the AWS Authorization.",
    ],
    [
      'another algorithm',
      withHeader(full.replace('SHA256', 'SHA25')),
      "IncompleteSignatureException: Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ",
    ],
    [
      'four parts of a scope',
      withCredential('a/b/c/d'),
      "IncompleteSignatureException: Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'a/b/c/d'",
    ],
    [
      'all of a scope',
      withCredential('a/b/c/d/e'),
      "InvalidSignatureException: Credential should be scoped to a valid region, not 'c'. Credential should be scoped to correct service: 'dynamodb'. Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: 'b' != '20261120', from '20261120T120000Z'.",
    ],
    [
      'a region in capitals',
      withCredential(scope.replace('us-east-1', 'US-EAST-1')),
      "InvalidSignatureException: Credential should be scoped to a valid region, not 'US-EAST-1'. ",
    ],
    [
      'another service',
      withCredential(scope.replace('dynamodb', 's3')),
      "InvalidSignatureException: Credential should be scoped to correct service: 'dynamodb'. ",
    ],
    [
      'an unknown key',
      withCredential(scope.replace('ALICE', 'ALICF')),
      'UnrecognizedClientException: The security token included in the request is invalid.',
    ],
    [
      'a wrong signature',
      withHeader(full),
      'InvalidSignatureException: The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
    ],
    [
      'a session without its token',
      withCredential(scope.replace(alice.accessKeyId, session.accessKeyId)),
      'UnrecognizedClientException: The security token included in the request is invalid',
    ],
  ])('%s', (_what, request, answer) => {
    expect(outcome(request)).toBe(answer);
  });

  test('a key of long standing with a session token is not a valid one', async () => {
    const request = await signedRequest({ ...alice, sessionToken: 'any' }, getItem);
    expect(outcome(request)).toBe('UnrecognizedClientException: The security token included in the request is invalid');
  });

  test('a session that is over', async () => {
    const late = nowMs + 3_600_000;
    const request = await signedRequest(session, { ...getItem, nowMs: late });
    expect(outcome(request, { at: late })).toBe(
      'ExpiredTokenException: The security token included in the request is expired',
    );
    expect(outcome(request, { at: late - 1 })).toBe('ok session');
  });

  test('the clock may be off by fifteen minutes either way, and no second more', async () => {
    const request = await signedRequest(alice, getItem);
    for (const minutes of [-15, 15]) expect(outcome(request, { at: nowMs + minutes * 60_000 })).toBe('ok alice');
    for (const ms of [-900_001, 900_001]) {
      expect(outcome(request, { at: nowMs + ms })).toMatch(/Signature (expired|not yet current)/);
    }
  });

  test('a signature for STS is none for DynamoDB', async () => {
    const request = await signedRequest(alice, { ...getItem, service: 'sts' });
    expect(outcome(request)).toContain("Credential should be scoped to correct service: 'dynamodb'. ");
    expect(outcome(request, { service: 'sts' })).toBe('ok alice');
  });
});
