import { expect, test } from 'vitest';
import { z } from 'zod';
import { InputError, connect, entity, model, ready, ref } from '../src/index.ts';
import { resolve } from '../src/resolve/resolve.ts';
import { testDatabase } from './test-database.ts';

/** A table of one entity with plain attribute names: its items do not say which entity they are. */
const tokens = model('tokens')
  .entities({
    Token: entity({ token: z.string(), owner: z.string(), expiresAt: z.number() }, { expires: 'expiresAt' }),
  })
  .relationships([])
  .patterns({
    issue: { creates: 'Token', expired: true },
    reissue: { creates: 'Token' },
    token: { reads: 'Token', by: ['token'], consistent: true },
    storedToken: { reads: 'Token', by: ['token'], expired: true },
    tokensOf: { reads: ['Token'], by: ['owner'], attributes: ['token', 'owner'], expired: true },
    allTokens: { reads: ['Token'], expired: true },
    endingSoon: {
      reads: ['Token'],
      by: ['token'],
      takes: { until: z.number() },
      where: { expiresAt: { atMost: ref('until') } },
    },
    revoke: { deletes: 'Token', by: ['token'], returns: 'old' },
  })
  .tables({
    Tokens: { key: ['token'], type: false, indexes: { ByOwner: { partition: ['owner'], project: 'KEYS_ONLY' } } },
  })
  .keys({ Token: { Tokens: ['{token}'], ByOwner: ['{owner}'] } })
  .served({
    issue: 'PutItem',
    reissue: 'PutItem',
    token: { query: 'Tokens' },
    storedToken: 'GetItem',
    tokensOf: { query: 'ByOwner' },
    allTokens: { scan: 'Tokens', because: 'a test looks at everything' },
    endingSoon: { query: 'Tokens' },
    revoke: 'DeleteItem',
  });

test('items of a table without a type attribute are stored and read without one', async () => {
  await using database = await testDatabase(tokens);
  let now = 1_000_000;
  const db = connect(tokens, { client: database.client, now: () => now });
  const token = { token: 'a', owner: 'alex', expiresAt: 2000 };
  await db.issue(token);
  expect(await database.stored('Tokens')).toEqual([token]);
  expect(await db.token({ token: 'a' })).toEqual(token);
  expect(await db.tokensOf({ owner: 'alex' })).toEqual({ items: [{ token: 'a', owner: 'alex' }], cursor: undefined });

  now = 2_000_000;
  expect(await db.token({ token: 'a' })).toBeUndefined();
  expect(await db.storedToken({ token: 'a' })).toEqual(token);
  expect((await db.allTokens({})).items).toEqual([token]);
  expect((await db.tokensOf({ owner: 'alex' })).items).toHaveLength(1);
  const taken = db.issue({ ...token, owner: 'mallory', expiresAt: 9000 });
  await expect(taken).rejects.toMatchObject({ code: 'already-exists', item: { owner: 'alex' } });
  await db.reissue({ ...token, owner: 'carol', expiresAt: 9000 });
  expect(await db.revoke({ token: 'a' })).toMatchObject({ owner: 'carol' });
});

test('where every item expires, the filter takes no item without a time', async () => {
  const db = connect(tokens, { client: {} as never, now: () => 7000 });
  expect(() => db.token.request({ token: 'a' })).toThrow('await ready(db)');
  await ready(db);
  const [request] = db.token.request({ token: 'a' });
  expect(request?.input).toMatchObject({
    FilterExpression: '#expiresAt > :v0',
    ExpressionAttributeValues: { ':v0': { N: '7' } },
    ConsistentRead: true,
  });
});

test('several kinds of items have to say which they are', () => {
  const { problems } = resolve({
    ...tokens,
    entities: { Token: entity({ token: z.string(), owner: z.string() }, { unique: ['owner'] }) },
  });
  expect(problems).toContainEqual(expect.objectContaining({ code: 'type-needed', path: 'tables.Tokens' }));
});

test('a read takes inputs that are no attributes, checked by their schemas', async () => {
  await using database = await testDatabase(tokens);
  const db = connect(tokens, { client: database.client, now: () => 0 });
  await db.issue({ token: 'a', owner: 'alex', expiresAt: 2000 });
  expect((await db.endingSoon({ token: 'a', until: 2000 })).items).toHaveLength(1);
  expect((await db.endingSoon({ token: 'a', until: 1999 })).items).toEqual([]);
  await expect(db.endingSoon({ token: 'a', until: 'soon' as never })).rejects.toThrow(InputError);
});
