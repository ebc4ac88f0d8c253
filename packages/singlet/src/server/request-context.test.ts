import { expect, it } from 'vitest';
import { createContextReader, type ScopedRequest } from './request-context.ts';

const defaults = { accountId: '000000000000', region: 'us-east-1' };
const signed = (region: string, accessKeyId = 'AKID'): ScopedRequest => ({
  url: '/',
  headers: {
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/${region}/dynamodb/aws4_request, SignedHeaders=host, Signature=00`,
  },
});

it('DB-128 takes the region from the credential scope', () => {
  const contextOf = createContextReader(defaults);
  expect(contextOf(signed('eu-west-1'))).toStrictEqual({ accountId: '000000000000', region: 'eu-west-1' });
  expect(contextOf(signed('us-east-1'))).toBe(defaults);
  expect(contextOf(signed('eu-west-1'))).toBe(contextOf(signed('eu-west-1')));
});

it('takes it from a presigned URL', () => {
  const contextOf = createContextReader(defaults);
  const url =
    '/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKID%2F20260101%2Feu-west-3%2Fdynamodb%2Faws4_request';
  expect(contextOf({ url, headers: {} }).region).toBe('eu-west-3');
});

it.each<ScopedRequest>([
  { url: '/', headers: {} },
  { url: '/?a=b', headers: {} },
  { url: '/', headers: { authorization: 'AWS4-HMAC-SHA256' } },
  { url: '/', headers: { authorization: 'Bearer Credential=' } },
  { url: '/', headers: { authorization: 'AWS4-HMAC-SHA256 Credential=a/b' } },
  signed(''),
  signed('a region'),
  signed('x'.repeat(64)),
])('falls back to the default: %j', (request) => {
  expect(createContextReader(defaults)(request)).toBe(defaults);
});

it('DB-128 takes the account from the access key', () => {
  const accounts = new Map([['AKIDA', '111111111111']]);
  const contextOf = createContextReader(defaults, { accountOf: (accessKeyId) => accounts.get(accessKeyId) });
  expect(contextOf(signed('eu-west-1', 'AKIDA'))).toStrictEqual({ accountId: '111111111111', region: 'eu-west-1' });
  expect(contextOf(signed('eu-west-1', 'AKIDA'))).toBe(contextOf(signed('eu-west-1', 'AKIDA')));
  expect(contextOf(signed('us-east-1', 'AKIDB'))).toBe(defaults);
  const url = '/?X-Amz-Credential=AKIDA%2F20260101%2Feu-west-3%2Fdynamodb%2Faws4_request';
  expect(contextOf({ url, headers: {} })).toStrictEqual({ accountId: '111111111111', region: 'eu-west-3' });
  expect(contextOf({ url: '/', headers: {} })).toBe(defaults);
});

it('takes all requests for those of one region, where that is asked for', () => {
  const contextOf = createContextReader(defaults, { accountOf: () => '111111111111', oneRegion: true });
  expect(contextOf(signed('local-env'))).toStrictEqual({ accountId: '111111111111', region: 'us-east-1' });
});

it('does not remember regions without end', () => {
  const contextOf = createContextReader(defaults);
  const askForMany = (): void => {
    for (let index = 0; index < 1000; index += 1) contextOf(signed(`region-${index}`));
  };
  askForMany();
  const before = contextOf(signed('region-998'));
  expect(before.region).toBe('region-998');
  askForMany();
  expect(contextOf(signed('region-998'))).not.toBe(before);
});
