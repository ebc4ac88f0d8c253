import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { check } from '../../src/check/index.ts';
import { connect, entity, model } from '../../src/index.ts';
import { prove } from '../../src/prove/index.ts';
import { testDatabase } from '../test-database.ts';

const letters = z.string().regex(/^[a-z]+$/);
const team = z.enum(['red', 'blue']);
const email = z.enum(['ann', 'bob']);

/** Addresses are unique within a team: the team is in the guard's key. */
const teams = model('teams')
  .entities({ Member: entity({ id: letters, team: team.optional(), email }, { unique: ['email'] }) })
  .relationships([])
  .patterns({
    join: { creates: 'Member' },
    moveTo: { updates: 'Member', by: ['id'], sets: ['team'] },
    rename: { updates: 'Member', by: ['id'], sets: ['email'] },
    leave: { deletes: 'Member', by: ['id'] },
    byEmail: { reads: 'Member', by: ['team', 'email'] },
  })
  .tables({ Teams: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys(
    { Member: { Teams: ['MEMBER#{id}', 'MEMBER'], GSI1: ['TEAM#{team}', 'EMAIL#{email}'] } },
    { Member: { unique: { email: { key: ['TEAM#{team}#EMAIL#{email}', 'EMAIL'] } } } },
  )
  .served({
    join: 'TransactWriteItems',
    moveTo: ['GetItem', 'TransactWriteItems'],
    rename: ['GetItem', 'TransactWriteItems'],
    leave: ['GetItem', 'TransactWriteItems'],
    byEmail: { query: 'GSI1' },
  });

describe('a guard whose key has more than the unique attribute', () => {
  test('is proven: a value is unique among the items that have the same values of the others', async () => {
    expect(check(teams).findings.filter(({ level }) => level === 'error')).toEqual([]);
    await using database = await testDatabase(teams);
    const { wrongWrites, counterexamples } = await prove(teams, {
      client: database.client,
      writes: true,
      runs: 4,
      seed: 3,
    });
    expect(wrongWrites).toBeUndefined();
    expect(counterexamples).toEqual([]);
  });

  test('moves with any of its attributes', async () => {
    await using database = await testDatabase(teams);
    const db = connect(teams, { client: database.client });
    await db.join({ id: 'a', team: 'red', email: 'ann' });
    await db.join({ id: 'b', team: 'blue', email: 'ann' });
    await expect(db.moveTo({ id: 'b', team: 'red' })).rejects.toMatchObject({ code: 'not-unique', attribute: 'email' });
    await db.leave({ id: 'a' });
    await db.moveTo({ id: 'b', team: 'red' });
    await db.join({ id: 'c', team: 'blue', email: 'ann' });
    const guards = (await database.stored('Teams')).flatMap(({ Type, PK }) =>
      Type === 'Member.email' ? [String(PK)] : [],
    );
    expect(guards.toSorted((a, b) => a.localeCompare(b))).toEqual(['TEAM#blue#EMAIL#ann', 'TEAM#red#EMAIL#ann']);
  });

  test('leaves one item only where all of its attributes are inputs', () => {
    const byEmail = { reads: 'Member', by: ['email'] };
    const found = (by: object): string[] =>
      check({
        ...teams,
        patterns: { ...teams.patterns, byEmail: by },
        keys: { Member: { Teams: ['MEMBER#{id}', 'MEMBER'], GSI1: ['EMAIL#{email}', 'TEAM#{team}'] } },
      }).findings.flatMap(({ code, path }) => (path.endsWith('byEmail') ? [code] : []));
    expect(found(byEmail)).toContain('several-items');
    expect(found({ ...byEmail, by: ['email', 'team'] })).not.toContain('several-items');
  });
});
