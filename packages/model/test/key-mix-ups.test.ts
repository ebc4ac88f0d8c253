import { expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../src/check/index.ts';
import { entity, type Model, model } from '../src/index.ts';
import { openModel } from './proof-writes/open-model.ts';

const name = z.string().regex(/^[a-z]+$/);

test('an item of another entity that may have the same key is not the one that is read', async () => {
  const why = { accepts: { 'key-collision': 'an account is a user or an organization' } };
  const accounts = model('accounts')
    .entities({ User: entity({ name }), Org: entity({ name }) })
    .relationships([])
    .patterns({
      addUser: { creates: 'User' },
      addOrg: { creates: 'Org' },
      org: { reads: 'Org', by: ['name'] },
      orgs: { reads: 'Org', by: ['name'], each: true },
    })
    .tables({ Accounts: { key: ['PK'] } })
    .keys({ User: { Accounts: ['A#{name}'] }, Org: { Accounts: ['A#{name}'] } }, { User: why, Org: why })
    .served({ addUser: 'PutItem', addOrg: 'PutItem', org: 'GetItem', orgs: 'BatchGetItem' });
  await using opened = await openModel(accounts);
  const { db } = opened;
  await db.addUser({ name: 'kim' });
  await db.addOrg({ name: 'acme' });
  expect(await db.org({ name: 'kim' })).toBeUndefined();
  expect(await db.org({ name: 'acme' })).toEqual({ name: 'acme' });
  expect(await db.orgs([{ name: 'kim' }, { name: 'acme' }])).toEqual([undefined, { name: 'acme' }]);
});

test('a partition key with two variables that a query would have to try the values of is refused', () => {
  const log = (partition: string): Model =>
    model('log')
      .entities({ Entry: entity({ day: name, id: name, by: name }) })
      .relationships([])
      .patterns({ entries: { reads: ['Entry'], by: ['day'], limit: 5 } })
      .tables({ Log: { key: ['PK', 'SK'], indexes: { ByDay: ['D', 'E'] } } })
      .keys({ Entry: { Log: ['E#{id}', 'E'], ByDay: [partition as 'D#{day}', '{id}'] } })
      .served({ entries: { query: 'ByDay', fanOut: 4 } });
  const messages = (partition: string): string[] =>
    check(log(partition)).findings.flatMap(({ code, message }) => (code === 'not-served' ? [message] : []));
  expect(messages('D#{day}#{by:shard4}')).toEqual([]);
  expect(messages('D#{day}#{by:shard4}#{id:shard3}')).toEqual([
    'the partition key has {id:shard3} as well as {by:shard4}, and a query tries the values of one',
  ]);
});

test.each([
  ['text', z.string(), []],
  ['a number', z.int().min(0).max(9), ['Member.team is a number, and Team.team, to which it refers, is text']],
])('a child that refers to its parent by %s', (_, team, messages) => {
  const teams = model('teams')
    .entities({ Team: entity({ team: name, size: z.int().default(0) }), Member: entity({ id: name, team }) })
    .relationships([['Team', '1:N', 'Member', { count: 'size' }]] as never)
    .patterns({ join: { creates: 'Member' } } as never)
    .tables({ Teams: { key: ['PK'] } })
    .keys({ Team: { Teams: ['T#{team}'] }, Member: { Teams: ['M#{id}'] } } as never)
    .served({ join: 'TransactWriteItems' } as never);
  const found = check(teams).findings.flatMap(({ code, message }) => (code === 'impossible-value' ? [message] : []));
  expect(found).toEqual(messages);
});
