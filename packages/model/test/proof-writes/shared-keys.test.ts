import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../src/check/index.ts';
import { add, entity, model, type Model, transact } from '../../src/index.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { writeFaults } from '../../src/resolve/write-faults.ts';
import { openModel } from './open-model.ts';

const name = z.string().min(1).max(20);
const accepts = { 'key-collision': 'one namespace', 'no-sort-discriminator': 'alone under its key' };

/** Users and organizations have one namespace, and either may own a repository. */
const accounts = model('accounts')
  .entities({
    User: entity({ name, email: z.string().optional(), visits: z.int().default(0) }),
    Organization: entity({ name, plan: z.string().default('free'), repos: z.int().default(0) }),
    Repo: entity({ owner: name, repo: name }),
  })
  .relationships([
    ['User', '1:N', 'Repo', { required: true, by: { name: 'owner' } }],
    ['Organization', '1:N', 'Repo', { required: true, by: { name: 'owner' } }],
  ])
  .patterns({
    addUser: { creates: 'User' },
    putUser: { puts: 'User' },
    upsertUser: { upserts: 'User' },
    setEmail: { updates: 'User', by: ['name'], sets: ['email'] },
    visit: { updates: 'User', by: ['name'], changes: { visits: add(1) }, orCreates: true },
    removeUser: { deletes: 'User', by: ['name'] },
    removeUserThere: { deletes: 'User', by: ['name'], mustExist: true },
    addOrganization: { creates: 'Organization' },
    setPlan: { updates: 'Organization', by: ['name'], sets: ['plan'] },
    addRepo: { creates: 'Repo' },
    addRepoOfUser: { transacts: { repo: { creates: 'Repo' }, user: { checks: 'User', by: ['name'] } } },
    addBoth: { transacts: { user: { creates: 'User' }, organization: { creates: 'Organization' } } },
    account: { reads: { user: 'User', organization: 'Organization' }, by: ['name'] },
  })
  .tables({ Site: { key: ['PK', 'SK'] } })
  .keys(
    {
      User: { Site: ['ACCOUNT#{name}', 'ACCOUNT'] },
      Organization: { Site: ['ACCOUNT#{name}', 'ACCOUNT'] },
      Repo: { Site: ['REPO#{owner}', 'REPO#{repo}'] },
    },
    { User: { accepts }, Organization: { accepts } },
  )
  .served({
    addUser: 'PutItem',
    putUser: 'PutItem',
    upsertUser: 'UpdateItem',
    setEmail: 'UpdateItem',
    visit: 'UpdateItem',
    removeUser: 'DeleteItem',
    removeUserThere: 'DeleteItem',
    addOrganization: 'PutItem',
    setPlan: 'UpdateItem',
    addRepo: 'TransactWriteItems',
    addRepoOfUser: 'TransactWriteItems',
    addBoth: 'TransactWriteItems',
    account: 'GetItem',
  });

const refusedWith = (code: string): unknown => expect.objectContaining({ name: 'RuleError', code });

describe('where an organization has the key that a user would have', () => {
  test('no write of users changes it', async () => {
    await using opened = await openModel(accounts);
    const { db, database } = opened;
    await db.addOrganization({ name: 'acme' });
    const before = await database.stored('Site');
    for (const [write, code] of [
      [() => db.setEmail({ name: 'acme', email: 'a' }), 'not-found'],
      [() => db.removeUserThere({ name: 'acme' }), 'not-found'],
      [() => db.addRepoOfUser({ repo: { owner: 'acme', repo: 'r' }, user: { name: 'acme' } }), 'not-found'],
      [() => db.addUser({ name: 'acme' }), 'already-exists'],
      [() => db.putUser({ name: 'acme' }), 'already-exists'],
      [() => db.upsertUser({ name: 'acme' }), 'already-exists'],
      [() => db.visit({ name: 'acme' }), 'already-exists'],
    ] as const)
      await expect(write()).rejects.toEqual(refusedWith(code));
    await db.removeUser({ name: 'acme' });
    expect(await database.stored('Site')).toEqual(before);
    expect(await db.account({ name: 'acme' })).toMatchObject({ organization: { name: 'acme', plan: 'free' } });
  });

  test('users of other names are written as before', async () => {
    await using opened = await openModel(accounts);
    const { db } = opened;
    await db.addOrganization({ name: 'acme' });
    await db.upsertUser({ name: 'ann' });
    await db.setEmail({ name: 'ann', email: 'ann@example.org' });
    await db.visit({ name: 'ann' });
    await db.visit({ name: 'bob' });
    expect(await db.account({ name: 'ann' })).toEqual({ user: { name: 'ann', email: 'ann@example.org', visits: 1 } });
    await db.putUser({ name: 'ann' });
    expect(await db.account({ name: 'ann' })).toEqual({ user: { name: 'ann', visits: 0 } });
    await db.removeUser({ name: 'ann' });
    await db.removeUser({ name: 'ann' });
    expect(await db.account({ name: 'ann' })).toEqual({});
    expect(await db.account({ name: 'bob' })).toEqual({ user: { name: 'bob', visits: 1 } });
  });

  test('either is a parent, and none of them is none', async () => {
    await using opened = await openModel(accounts);
    const { db } = opened;
    await db.addOrganization({ name: 'acme' });
    await db.addUser({ name: 'ann' });
    await db.addRepo({ owner: 'acme', repo: 'r' });
    await db.addRepo({ owner: 'ann', repo: 'r' });
    await expect(db.addRepo({ owner: 'bob', repo: 'r' })).rejects.toEqual(refusedWith('parent-missing'));
  });

  test('one that has expired is no parent', async () => {
    const { name: title, relationships, tables, keys, storage, served } = accounts;
    const { addRepo, addOrganization } = accounts.patterns;
    const trials = model(title)
      .entities({
        ...accounts.entities,
        Organization: entity({ name, until: z.int().optional() }, { expires: 'until' }),
      })
      .relationships(relationships)
      .patterns({ addRepo, addOrganization })
      .tables(tables)
      .keys(keys as never, storage)
      .served({ addRepo: served.addRepo, addOrganization: served.addOrganization });
    await using opened = await openModel(trials);
    const { db } = opened;
    await db.addOrganization({ name: 'acme', until: 200 });
    await db.addRepo({ owner: 'acme', repo: 'r' });
    opened.at(200);
    await expect(db.addRepo({ owner: 'acme', repo: 's' })).rejects.toEqual(refusedWith('parent-missing'));
  });

  test('a transaction creates one of them', async () => {
    await using opened = await openModel(accounts);
    const { db } = opened;
    await db.addBoth({ user: { name: 'ann' }, organization: { name: 'acme' } });
    await expect(db.addBoth({ user: { name: 'zoe' }, organization: { name: 'zoe' } })).rejects.toThrow(
      'is written twice by one transaction',
    );
    await expect(
      transact(db, [
        { pattern: 'addOrganization', input: { name: 'new' } },
        { pattern: 'visit', input: { name: 'new' } },
      ] as never),
    ).rejects.toEqual(refusedWith('already-exists'));
  });
});

test('both entities have to accept that they share their keys', () => {
  const collisions = (storage: object): string[] =>
    check({ ...accounts, storage } as unknown as Model).findings.flatMap(({ code, path, level }) =>
      code === 'key-collision' && level === 'error' ? [path] : [],
    );
  expect(collisions({ User: { accepts }, Organization: { accepts } })).toEqual([]);
  expect(collisions({ User: { accepts } })).toEqual(['keys.Organization.Site']);
  expect(collisions({ Organization: { accepts } })).toEqual(['keys.User.Site']);
  expect(collisions({})).toEqual(['keys.Organization.Site']);
});

test('what has no condition for the type is refused', () => {
  const faults = (need: object, operation: string): string[] => {
    const patterns = { write: need };
    const { patterns: planned } = resolve({ ...accounts, patterns, served: { write: operation } } as unknown as Model);
    const plan = planned.get('write')?.plan;
    return plan?.kind === 'write'
      ? plan.writes.flatMap((write) => writeFaults(write).map(({ code }) => code))
      : ['no plan'];
  };
  expect(faults({ puts: ['User'] }, 'BatchWriteItem')).toEqual(['batch-over-others']);
  expect(faults({ deletes: ['User'], by: ['name'] }, 'BatchWriteItem')).toEqual(['batch-over-others']);
  expect(faults({ transacts: { users: { puts: ['User'] } } }, 'TransactWriteItems')).toEqual([]);
  const absent = { checks: 'User', by: ['name'], mustExist: false, given: { email: { exists: false } } };
  expect(faults({ transacts: { absent } }, 'TransactWriteItems')).toEqual(['absent-or-another']);
});
