import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, model, transact } from '../../src/index.ts';
import { openModel } from './open-model.ts';

const teams = model('teams')
  .entities({
    Team: entity({ team: z.string(), title: z.string(), members: z.number().default(0) }),
    Member: entity({ team: z.string(), id: z.string(), role: z.string() }),
    Note: entity({ id: z.string(), version: z.number(), state: z.string().optional() }, { lock: 'version' }),
    Draft: entity({ id: z.string(), state: z.string().optional() }),
  })
  .relationships([['Team', '1:N', 'Member', { count: 'members' }]])
  .patterns({
    found: { creates: 'Team' },
    team: { reads: 'Team', by: ['team'] },
    rename: { updates: 'Team', by: ['team'], sets: ['title'] },
    join: { creates: 'Member' },
    leave: { deletes: 'Member', by: ['team', 'id'] },
    leaveAs: { deletes: 'Member', by: ['team', 'id', 'role'] },
    leaveThere: { deletes: 'Member', by: ['team', 'id'], mustExist: true },
    dismiss: { deletes: 'Member', by: ['team', 'id'], given: { role: 'guest' } },
    dropNote: { deletes: 'Note', by: ['id'] },
    dropDraft: { deletes: 'Draft', by: ['id'], given: { state: 'OLD' } },
    dropStateless: { deletes: 'Draft', by: ['id'], given: { state: { exists: false } } },
  })
  .tables({ Teams: { key: ['PK', 'SK'] } })
  .keys({
    Team: { Teams: ['TEAM#{team}', 'TEAM'] },
    Member: { Teams: ['TEAM#{team}', 'MEMBER#{id}'] },
    Note: { Teams: ['NOTE#{id}', 'NOTE'] },
    Draft: { Teams: ['DRAFT#{id}', 'DRAFT'] },
  })
  .served({
    found: 'PutItem',
    team: 'GetItem',
    rename: 'UpdateItem',
    join: 'TransactWriteItems',
    leave: 'TransactWriteItems',
    leaveAs: 'TransactWriteItems',
    leaveThere: 'TransactWriteItems',
    dismiss: 'TransactWriteItems',
    dropNote: 'DeleteItem',
    dropDraft: 'DeleteItem',
    dropStateless: 'DeleteItem',
  });

describe('a delete of what is not there', () => {
  test('has nothing to do, and nothing is counted for it', async () => {
    await using opened = await openModel(teams);
    const { db } = opened;
    await db.found({ team: 't', title: 'T' });
    await db.join({ team: 't', id: 'a', role: 'host' });
    await db.leave({ team: 't', id: 'b' });
    await db.leaveAs({ team: 't', id: 'a', role: 'guest' });
    await transact(db, [db.leave.op({ team: 't', id: 'b' }), db.rename.op({ team: 't', title: 'U' })]);
    expect(await db.team({ team: 't' })).toEqual({ team: 't', title: 'U', members: 1 });
    await db.leave({ team: 't', id: 'a' });
    await db.leave({ team: 't', id: 'a' });
    expect(await db.team({ team: 't' })).toMatchObject({ members: 0 });
    await db.dropStateless({ id: 'x' });
  });

  test('is refused where it has to be there, or to meet something', async () => {
    await using opened = await openModel(teams);
    const { db } = opened;
    await db.found({ team: 't', title: 'T' });
    const notFound = { name: 'RuleError', code: 'not-found' };
    await expect(db.leaveThere({ team: 't', id: 'a' })).rejects.toMatchObject(notFound);
    await expect(db.dismiss({ team: 't', id: 'a' })).rejects.toMatchObject(notFound);
    await expect(db.dropNote({ id: 'n', version: 1 })).rejects.toMatchObject(notFound);
    await expect(db.dropDraft({ id: 'd' })).rejects.toMatchObject(notFound);
    expect(await db.team({ team: 't' })).toMatchObject({ members: 0 });
  });

  test('is the same whether the item is read first or not', async () => {
    const unique = {
      ...teams,
      entities: {
        ...teams.entities,
        Note: entity({ ...teams.entities.Note.attributes }, { lock: 'version', unique: ['state'] }),
        Draft: entity({ ...teams.entities.Draft.attributes }, { unique: ['state'] }),
      },
      served: {
        ...teams.served,
        dropNote: ['GetItem', 'TransactWriteItems'],
        dropDraft: ['GetItem', 'TransactWriteItems'],
        dropStateless: ['GetItem', 'TransactWriteItems'],
      },
    } as const;
    await using opened = await openModel(teams);
    const db = connect(unique, { client: opened.database.client, pause: async () => undefined });
    const notFound = { name: 'RuleError', code: 'not-found' };
    await expect(db.dropNote({ id: 'n', version: 1 })).rejects.toMatchObject(notFound);
    await expect(db.dropDraft({ id: 'd' })).rejects.toMatchObject(notFound);
    await db.dropStateless({ id: 'x' });
  });
});
