import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { add, append, entity, include, initial, model, type Model, ref } from '../../src/index.ts';
import { resolve } from '../../src/resolve/resolve.ts';
import { writeFaults } from '../../src/resolve/write-faults.ts';
import { openModel } from './open-model.ts';

const tickets = model('tickets')
  .entities({
    Ticket: entity({
      id: z.string(),
      status: z.enum(['OPEN', 'DONE']).default('OPEN'),
      priority: z.number().default(5),
      labels: z.array(z.string()).default(['new']),
      title: z.string().default('untitled'),
      note: z.string().optional(),
    }),
  })
  .relationships([])
  .patterns({
    create: { creates: 'Ticket' },
    save: { upserts: 'Ticket' },
    ticket: { reads: 'Ticket', by: ['id'] },
    open: { reads: ['Ticket'], by: ['status'] },
    note: { updates: 'Ticket', by: ['id'], sets: ['note'], orCreates: true },
    raise: { updates: 'Ticket', by: ['id'], changes: { priority: add(1) }, orCreates: true },
    bump: { updates: 'Ticket', by: ['id'], changes: { priority: add(1) } },
    label: {
      updates: 'Ticket',
      by: ['id'],
      takes: { more: z.array(z.string()) },
      changes: { labels: append(ref('more')) },
    },
    finish: { updates: 'Ticket', by: ['id'], changes: { status: 'DONE' }, given: { status: 'OPEN' } },
    reopen: { updates: 'Ticket', by: ['id'], changes: { status: 'OPEN' }, given: { status: { not: 'OPEN' } } },
    fresh: { checks: 'Ticket', by: ['id'], given: { priority: { below: 6 }, labels: { contains: 'new' } } },
    stale: { checks: 'Ticket', by: ['id'], given: { any: [{ status: 'DONE' }, { labels: { lacks: 'new' } }] } },
    drop: { deletes: 'Ticket', by: ['id'], given: { status: 'OPEN' } },
  })
  .tables({ Tickets: { key: ['PK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Ticket: { Tickets: ['TICKET#{id}'], GSI1: { when: { status: 'OPEN' }, key: ['OPEN', '{priority:03}#{id}'] } },
  })
  .served({
    create: 'PutItem',
    save: ['GetItem', 'UpdateItem'],
    ticket: 'GetItem',
    open: { query: 'GSI1' },
    note: ['GetItem', 'UpdateItem'],
    raise: ['GetItem', 'UpdateItem'],
    bump: ['GetItem', 'UpdateItem'],
    label: 'UpdateItem',
    finish: 'UpdateItem',
    reopen: ['GetItem', 'UpdateItem'],
    fresh: 'TransactWriteItems',
    stale: 'TransactWriteItems',
    drop: 'DeleteItem',
  });

const whole = { status: 'OPEN', priority: 5, labels: ['new'], title: 'untitled' };

describe('an update that also creates', () => {
  test('stores defaults and what follows from them, as creating does', async () => {
    await using opened = await openModel(tickets);
    const { db, database } = opened;
    await db.note({ id: 'a', note: 'n' });
    await db.create({ id: 'b', note: 'n' });
    const [a, b] = (await database.stored('Tickets')).sort((x, y) => (String(x.id) < String(y.id) ? -1 : 1));
    expect({ ...a, id: 'b', PK: 'TICKET#b', GSI1SK: '005#b' }).toEqual(b);
    expect((await db.open({ status: 'OPEN' })).items.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test('keeps what is stored, and adds to the default where there is none', async () => {
    await using opened = await openModel(tickets);
    const { db } = opened;
    await db.raise({ id: 'a' });
    expect(await db.ticket({ id: 'a' })).toEqual({ id: 'a', ...whole, priority: 6 });
    await db.create({ id: 'b', priority: 7, title: 't', status: 'DONE' });
    await db.note({ id: 'b', note: 'n' });
    await db.raise({ id: 'b' });
    expect(await db.ticket({ id: 'b' })).toEqual({
      id: 'b',
      ...whole,
      priority: 8,
      title: 't',
      status: 'DONE',
      note: 'n',
    });
    expect((await db.open({ status: 'OPEN' })).items.map(({ id }) => id)).toEqual(['a']);
  });

  test('that races with another is made once', async () => {
    await using opened = await openModel(tickets);
    const { db } = opened;
    await Promise.all([1, 2, 3, 4].map(async () => db.raise({ id: 'a' })));
    expect(await db.ticket({ id: 'a' })).toMatchObject({ priority: 9 });
  });

  const levels = (index: object) =>
    model('levels')
      .entities({
        Level: entity({ id: z.string(), level: z.int().default(3), tags: z.set(z.string()).optional() }),
      })
      .relationships([])
      .patterns({
        may: { updates: 'Level', by: ['id'], maySet: ['level'], orCreates: true },
        begin: { updates: 'Level', by: ['id'], changes: { level: initial(7) }, orCreates: true },
      })
      .tables({ Levels: { key: ['PK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
      .keys({ Level: { Levels: ['LEVEL#{id}'], ...index } });

  test('stores the default of what it may set, if it is not set', async () => {
    const served = levels({}).served({ may: 'UpdateItem', begin: 'UpdateItem' });
    await using opened = await openModel(served);
    await opened.db.may({ id: 'a' });
    await opened.db.may({ id: 'b', level: 4 });
    await opened.db.may({ id: 'b' });
    const stored = await opened.database.stored('Levels');
    expect(new Map(stored.map(({ id, level }) => [id, level]))).toEqual(
      new Map([
        ['a', 3],
        ['b', 4],
      ]),
    );
  });

  test('begins with `initial` in the place of a default, whether it reads first or not', async () => {
    const unread = levels({}).served({ may: 'UpdateItem', begin: 'UpdateItem' });
    const read = levels({ GSI1: ['LEVELS', '{level:03}'] }).served({
      may: ['GetItem', 'UpdateItem'],
      begin: ['GetItem', 'UpdateItem'],
    });
    for (const each of [unread, read]) {
      await using opened = await openModel(each);
      await opened.db.begin({ id: 'a' });
      await opened.db.begin({ id: 'a' });
      expect(await opened.database.stored('Levels')).toMatchObject([{ level: 7 }]);
    }
  });

  test('cannot change a part of a default that it stores by the same request', () => {
    const parts = (changes: object, index: object = {}): string[] => {
      const shelf = model('shelf')
        .entities({
          Shelf: entity({
            id: z.string(),
            size: z.object({ height: z.int() }).default({ height: 1 }),
            tags: z.set(z.string()).default(new Set(['new'])),
            books: z.set(z.string()).optional(),
            rows: z.array(z.string()).default(['top']),
            width: z.int().default(2),
          }),
        })
        .relationships([])
        .patterns({ put: { updates: 'Shelf', by: ['id'], changes, orCreates: true } } as never)
        .tables({ Shelves: { key: ['PK'], indexes: { GSI1: ['GSI1PK'] } } })
        .keys({ Shelf: { Shelves: ['SHELF#{id}'], ...index } })
        .served({ put: 'UpdateItem' } as never);
      const { plan } = resolve(shelf).patterns.get('put') ?? {};
      return plan?.kind === 'write' ? plan.writes.flatMap(writeFaults).map(({ message }) => message) : [];
    };
    expect(parts({ rows: append(ref('rows')), width: add(1), books: include('b') })).toEqual([]);
    expect(parts({ size: { height: 2 }, tags: initial('x') })).toEqual([]);
    expect(parts({ 'size.height': add(1) })).toEqual([expect.stringContaining('has the default of size')]);
    expect(parts({ tags: include('x') })).toEqual([expect.stringContaining('has the default of tags')]);
    // What is read first is written as a whole.
    expect(parts({ 'size.height': add(1), width: add(1) }, { GSI1: ['W#{width}'] })).toEqual([]);
  });

  test('must be able to make a whole item, else the model is at fault', () => {
    const { name, entities, relationships, tables, keys, storage } = tickets;
    const wider = { Ticket: entity({ ...entities.Ticket.attributes, owner: z.string() }) };
    const problemsOf = (pattern: Model['patterns'][string]): string[] => {
      const patterns = { pattern };
      const served = { pattern: ['GetItem', 'UpdateItem'] } as const;
      const resolved = resolve({ name, entities: wider, relationships, tables, keys, storage, patterns, served });
      const { plan, problems } = resolved.patterns.get('pattern') ?? { plan: undefined, problems: [] };
      const faults = plan?.kind === 'write' ? plan.writes.flatMap(writeFaults) : [];
      return [...problems, ...faults].map(({ code, message }) => `${code}: ${message}`);
    };
    const update = { updates: 'Ticket', by: ['id'], orCreates: true } as const;
    expect(problemsOf({ ...update, sets: ['note'] })).toEqual([
      expect.stringMatching(/^creates-incomplete: .* lack owner/),
    ]);
    expect(problemsOf({ ...update, maySet: ['owner'] })).toHaveLength(1);
    expect(problemsOf({ ...update, sets: ['owner'] })).toEqual([]);
    expect(problemsOf({ ...update, by: ['id', 'owner'] })).toEqual([]);
  });
});

describe('an upsert', () => {
  test('sets what is given and keeps the rest, in the index as well', async () => {
    await using opened = await openModel(tickets);
    const { db, database } = opened;
    await db.save({ id: 'a' });
    expect(await db.ticket({ id: 'a' })).toEqual({ id: 'a', ...whole });
    await db.save({ id: 'a', status: 'DONE', note: 'n' });
    await db.save({ id: 'a', priority: 1 });
    expect(await db.ticket({ id: 'a' })).toEqual({ id: 'a', ...whole, status: 'DONE', priority: 1, note: 'n' });
    expect(await database.stored('Tickets', 'GSI1')).toEqual([]);
    await db.save({ id: 'a', status: 'OPEN' });
    expect(await database.stored('Tickets', 'GSI1')).toMatchObject([{ GSI1SK: '001#a' }]);
  });
});

test('an upsert is given no number that other items keep', async () => {
  const projects = model('projects')
    .entities({
      Project: entity({ id: z.string(), title: z.string(), size: z.int().default(0), last: z.int().optional() }),
      Issue: entity({ id: z.string(), number: z.int() }, { sequence: { number: 'Project.last' } }),
      Member: entity({ id: z.string(), member: z.string() }),
    })
    .relationships([
      ['Project', '1:N', 'Issue'],
      ['Project', '1:N', 'Member', { count: 'size' }],
    ])
    .patterns({ save: { upserts: 'Project' }, join: { creates: 'Member' }, project: { reads: 'Project', by: ['id'] } })
    .tables({ Projects: { key: ['PK', 'SK'] } })
    .keys({
      Project: { Projects: ['P#{id}', 'P'] },
      Issue: { Projects: ['P#{id}', 'I#{number:06}'] },
      Member: { Projects: ['P#{id}', 'M#{member}'] },
    })
    .served({ save: 'UpdateItem', join: 'TransactWriteItems', project: 'GetItem' });
  await using opened = await openModel(projects);
  const { db } = opened;
  await db.save({ id: 'a', title: 'x' });
  await db.join({ id: 'a', member: 'm' });
  for (const kept of [{ size: 0 }, { last: 7 }])
    await expect(db.save({ id: 'a', title: 'y', ...kept })).rejects.toMatchObject({
      name: 'InputError',
      code: 'computed',
    });
  await db.save({ id: 'a', title: 'y' });
  expect(await db.project({ id: 'a' })).toEqual({ id: 'a', title: 'y', size: 1 });
});

test('a number that children keep begins at 0, whatever a create is given', async () => {
  const clubs = model('clubs')
    .entities({
      Club: entity({ id: z.string(), size: z.int().default(0), paid: z.int() }),
      Member: entity({ id: z.string(), member: z.string(), fee: z.int() }),
    })
    .relationships([['Club', '1:N', 'Member', { count: 'size', sum: { paid: 'fee' } }]])
    .patterns({
      found: { creates: 'Club' },
      foundSeveral: { creates: ['Club'] },
      club: { reads: 'Club', by: ['id'], consistent: true },
    })
    .tables({ Clubs: { key: ['PK', 'SK'] } })
    .keys({ Club: { Clubs: ['C#{id}', 'C'] }, Member: { Clubs: ['C#{id}', 'M#{member}'] } })
    .served({ found: 'PutItem', foundSeveral: 'TransactWriteItems', club: 'GetItem' });
  await using opened = await openModel(clubs);
  const { db } = opened;
  const refusal = { name: 'InputError', code: 'computed', path: 'Club.size' };
  await expect(db.found({ id: 'a', size: 7, paid: 0 })).rejects.toMatchObject(refusal);
  await expect(db.foundSeveral([{ id: 'a', size: -1, paid: 0 }])).rejects.toMatchObject(refusal);
  await expect(db.found({ id: 'a', paid: 5 })).rejects.toMatchObject({ ...refusal, path: 'Club.paid' });
  expect(await db.club({ id: 'a' })).toBeUndefined();
  await db.found({ id: 'a', paid: 0, size: 0 });
  expect(await db.club({ id: 'a' })).toEqual({ id: 'a', size: 0, paid: 0 });
});

describe('an item that was stored before there was a default', () => {
  const openOld = async () => {
    const opened = await openModel(tickets);
    const Item = { PK: { S: 'TICKET#a' }, Type: { S: 'Ticket' }, id: { S: 'a' } };
    await opened.database.client.send(new PutItemCommand({ TableName: 'Tickets', Item }));
    return opened;
  };

  test('meets conditions by the default', async () => {
    await using opened = await openOld();
    const { db } = opened;
    await db.fresh({ id: 'a' });
    await expect(db.stale({ id: 'a' })).rejects.toMatchObject({ code: 'condition-failed' });
    await expect(db.reopen({ id: 'a' })).rejects.toMatchObject({ code: 'condition-failed' });
    await db.finish({ id: 'a' });
    await expect(db.drop({ id: 'a' })).rejects.toMatchObject({ code: 'condition-failed' });
    await db.reopen({ id: 'a' });
    await db.drop({ id: 'a' });
    expect(await db.ticket({ id: 'a' })).toBeUndefined();
    await expect(db.drop({ id: 'a' })).rejects.toMatchObject({ code: 'not-found' });
  });

  test('is added to from the default', async () => {
    await using opened = await openOld();
    const { db } = opened;
    await db.bump({ id: 'a' });
    await db.label({ id: 'a', more: ['x'] });
    expect(await db.ticket({ id: 'a' })).toMatchObject({ priority: 6, labels: ['new', 'x'] });
    expect((await db.open({ status: 'OPEN' })).items.map(({ id }) => id)).toEqual(['a']);
  });
});
