import { type BinaryLike, createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signedHeaders } from './request-signature.ts';

type Data = string | ArrayBuffer | ArrayBufferView;

/** The interface that the SDK's signer requires of a hash. */
class Sha256 {
  readonly #hash: { update(data: BinaryLike): unknown; digest(): Uint8Array };

  constructor(secret?: Data) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as BinaryLike); // each kind is taken
  }

  update(data: Data): void {
    this.#hash.update(data as BinaryLike);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
}

interface Kind {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly contentType: string;
  readonly target?: string;
}

const word = fc.stringMatching(/^[A-Za-z0-9+/]{1,40}$/);

test('requests are signed as the SDK signs them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        accessKeyId: word,
        secretAccessKey: word,
        sessionToken: fc.option(word, { nil: undefined }),
        region: fc.constantFrom('us-east-1', 'eu-west-1'),
        host: fc.constantFrom('dynamodb.eu-west-1.amazonaws.com', '127.0.0.1:8000'),
        nowMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
        body: fc.uint8Array({ maxLength: 100 }),
        kind: fc.constantFrom<Kind>(
          { method: 'POST', path: '/', contentType: 'application/x-amz-json-1.0', target: 'DynamoDB_20120810.Query' },
          { method: 'POST', path: '/_singlet/scrub', contentType: 'application/json' },
          { method: 'GET', path: '/_singlet/scrub', contentType: 'application/json' },
        ),
      }),
      async ({ accessKeyId, secretAccessKey, sessionToken, region, host, nowMs, body, kind }) => {
        const { method, path, contentType, target } = kind;
        const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
        const url = new URL(path, `https://${host}`);
        const ours = signedHeaders(
          { ...(target !== undefined && { target }), method, url, contentType, body },
          credentials,
          { region, nowMs },
        );
        const signer = new SignatureV4({
          service: 'dynamodb',
          region,
          credentials,
          sha256: Sha256,
          applyChecksum: false,
        });
        const theirs = await signer.sign(
          {
            method,
            protocol: 'https:',
            hostname: url.hostname,
            path,
            headers: {
              'content-type': contentType,
              host: url.host,
              ...(target !== undefined && { 'x-amz-target': target }),
            },
            body,
          },
          { signingDate: new Date(nowMs) },
        );
        expect(ours['authorization']).toBe(theirs.headers['authorization']);
        expect(ours['x-amz-date']).toBe(theirs.headers['x-amz-date']);
      },
    ),
    { numRuns: 50 },
  );
});
