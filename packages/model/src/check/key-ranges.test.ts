import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { shop } from '../../test/shop.model.ts';
import { entity } from '../entities/entity.ts';
import { model } from '../model.ts';
import { resolve } from '../resolve/resolve.ts';
import { connect, ready } from '../run/connect.ts';
import type { Model } from '../model.ts';
import { operationOf } from './operation.ts';
import { type RangeRequest, rangesOf, type ReadRanges } from './key-ranges.ts';

function ranges(of: Model, pattern: string): ReadRanges {
  const resolved = resolve(of);
  const info = resolved.patterns.get(pattern);
  const found = info && rangesOf(resolved, info);
  if (found === undefined) throw new TypeError(`${pattern} has no ranges`);
  return found;
}

const state = z.enum(['OPEN', 'DONE']);
const name = z.string().regex(/^[a-z]+$/);

const tasks = model('tasks')
  .entities({
    Task: entity(
      { team: name, id: name, state, at: z.iso.datetime({ precision: 0 }), until: z.int().optional() },
      { expires: 'until' },
    ),
    Note: entity({ team: name, id: name }),
  })
  .relationships([])
  .patterns({
    inState: { reads: ['Task'], by: ['team', 'state'], order: 'at desc', limit: 5, filters: ['id'] },
    tasks: { reads: ['Task'], by: ['team'], where: { at: { above: '2024-01-01T00:00:00Z' } } },
    notes: { reads: ['Note'], by: ['team'], limit: 5, volume: { typical: 2, most: 9 } },
    add: { creates: 'Task' },
  })
  .tables({ Team: { key: ['PK', 'SK'], indexes: { States: ['States1', 'States2'] } } })
  .keys({
    Task: {
      Team: ['TEAM#{team}', 'T#{id}'],
      States: [
        { when: { state: 'OPEN' }, key: ['TEAM#{team}', 'OPEN#{at:inverseTime}#{id}'] },
        { when: { state: 'DONE' }, key: ['TEAM#{team}', 'DONE#{at:inverseTime}#{id}'] },
      ],
    },
    Note: { Team: ['TEAM#{team}', 'T#'] },
  })
  .served({
    inState: { query: 'States', readAhead: 20 },
    tasks: { query: 'Team' },
    notes: { query: 'Team' },
    add: 'PutItem',
  });

const states = model('states')
  .entities({ Task: entity({ team: name, id: name, state: z.enum(['OPEN', 'DONE', 'LEFT']) }) })
  .relationships([])
  .patterns({ inState: { reads: ['Task'], by: ['team', 'state'], limit: 5 } })
  .tables({ Team: { key: ['PK', 'SK'], indexes: { States: ['States1', 'States2'] } } })
  .keys({
    Task: {
      Team: ['TEAM#{team}', 'T#{id}'],
      States: [
        { when: { state: 'OPEN' }, key: ['IN#{team}#OPEN', '{id}'] },
        { when: { state: ['DONE', 'LEFT'] }, key: ['IN#{team}#{state}', '{id}'] },
      ],
    },
  })
  .served({ inState: { query: 'States' } });

/** A team and its tasks, read by the name of an input. */
const collection = model('collection')
  .entities({
    Team: entity({ team: z.string().regex(/^\w+$/) }),
    Task: entity({ team: z.string().regex(/^\w+$/), id: z.string().regex(/^\w+$/), owner: z.string().optional() }),
    Visit: entity({ team: z.string().regex(/^\w+$/), at: z.iso.datetime() }),
  })
  .relationships([
    ['Team', '1:N', 'Task'],
    ['Team', '1:N', 'Visit'],
  ])
  .patterns({
    teamSince: { reads: { team: 'Team', visits: ['Visit'] }, by: ['team'], range: 'at' },
    teamWithTasks: { reads: { team: 'Team', tasks: ['Task'] }, by: ['team'], filters: ['id'], limit: 5 },
    task: { reads: 'Task', by: ['id'], aka: { of: 'team' } },
    tasksOf: { reads: ['Task'], by: [], aka: { of: 'team' } },
    ownTask: { reads: 'Task', by: ['team', 'id'], where: { owner: { exists: true } } },
  })
  .tables({ Team: { key: ['PK', 'SK'] } })
  .keys({
    Team: { Team: ['TEAM#{team}', '#TEAM'] },
    Task: { Team: ['TEAM#{team}', 'T#{id}'] },
    Visit: { Team: ['TEAM#{team}', '#V#{at:utc}'] },
  })
  .served({
    teamSince: { query: 'Team' },
    teamWithTasks: { query: 'Team' },
    task: 'GetItem',
    tasksOf: { query: 'Team' },
    ownTask: { query: 'Team', readAhead: 7 },
  });

describe('ranges of a read', () => {
  test('of forms in several partitions hold nothing of each other, and the key condition names all of them', () => {
    const { cases } = ranges(states, 'inState');
    expect(
      cases.flatMap(({ requests }) => requests).map(({ partition, alsoThere }) => ({ partition, alsoThere })),
    ).toEqual([
      { partition: { States1: 'IN#{team}#OPEN' }, alsoThere: [] },
      { partition: { States1: 'IN#{team}#{state}' }, alsoThere: [] },
    ]);
    const [pattern] = resolve(states).patterns.values();
    expect(pattern && operationOf(pattern)?.keyCondition).toBe(
      'States1 = IN#{team}#OPEN or States1 = IN#{team}#{state}',
    );
  });

  test('are one for each choice of forms, with what the filter takes away', () => {
    const { cases, pages } = ranges(tasks, 'inState');
    expect(cases.map(({ when }) => JSON.parse(when) as unknown)).toEqual([{ state: 'OPEN' }, { state: 'DONE' }]);
    expect(cases[0]?.requests).toEqual([
      {
        operation: 'Query',
        place: 'States',
        times: 1,
        partition: { States1: 'TEAM#{team}' },
        equal: {},
        range: { attribute: 'States2', from: 'OPEN#', to: 'OPEN#', toBeginnings: true },
        reads: [{ name: 'Task', key: 'OPEN#{at:inverseTime}#{id}' }],
        alsoThere: [],
        filter: ['id = {id}, where it is given', 'until is missing or above now'],
      },
    ]);
    expect(pages).toEqual({ limit: 5, looksAt: 20, readsOn: true });
  });

  test('name what else is within them', () => {
    const [only] = ranges(tasks, 'tasks').cases;
    expect(only?.requests[0]).toMatchObject({
      range: { from: 'T#', to: 'T#', toBeginnings: true },
      alsoThere: [{ name: 'Note', key: 'T#' }],
      filter: ['at above "2024-01-01T00:00:00Z"', 'until is missing or above now'],
    });
    expect(ranges(tasks, 'notes').cases[0]?.requests[0]).toMatchObject({ equal: { SK: 'T#' }, range: undefined });
  });

  test('of a collection have the one item in the first request, and filters of the children alone', () => {
    const { cases, pages } = ranges(collection, 'teamWithTasks');
    expect(cases[0]?.requests[0]?.filter).toEqual(['Task: id = {id}, where it is given']);
    expect(pages).toEqual({ limit: 5, looksAt: 6, readsOn: true });
    expect(ranges(collection, 'teamSince').cases[0]?.requests[0]?.filter).toEqual([
      'Visit: at begins {at.begins}, where it is given',
    ]);
  });

  test('of one item read ahead, where a filter may remove what is found first', () => {
    expect(ranges(collection, 'ownTask').pages).toEqual({ limit: 1, looksAt: 7, readsOn: true });
  });

  test('have the names of inputs, where they differ from those of attributes', () => {
    const [request] = ranges(collection, 'task').cases[0]?.requests ?? [];
    expect(request).toMatchObject({
      partition: { PK: 'TEAM#{of}' },
      equal: { SK: 'T#{id}' },
      reads: [{ name: 'Task', key: 'T#{id}' }],
    });
    const pattern = resolve(collection).patterns.get('tasksOf');
    expect(pattern && operationOf(pattern)?.keyCondition).toBe('PK = TEAM#{of} AND begins_with(SK, T#)');
    expect(ranges(collection, 'tasksOf').cases[0]?.requests[0]?.partition).toEqual({ PK: 'TEAM#{of}' });
  });

  test('state the filter by the beginning of a time, whose key has another form of it', async () => {
    const visits = (at: string) =>
      model('visits')
        .entities({ Visit: entity({ site: name, at: z.iso.datetime({ offset: true }), day: z.iso.date() }) })
        .relationships([])
        .patterns({ visits: { reads: ['Visit'], by: ['site'], range: at === '{day}' ? 'day' : 'at', limit: 5 } })
        .tables({ Visits: { key: ['PK', 'SK'] } })
        .keys({ Visit: { Visits: ['SITE#{site}', `V#${at}` as 'V#{at:utc}'] } })
        .served({ visits: { query: 'Visits' } });
    const { cases, pages } = ranges(visits('{at:utc}'), 'visits');
    expect(cases[0]?.requests[0]?.filter).toEqual(['at begins {at.begins}, where it is given']);
    expect(pages.readsOn).toBe(true);
    const db = await ready(connect(visits('{at:utc}'), { client: {} as never }));
    const [sent] = db.visits.request({ site: 'a', at: { begins: '2024-03' } });
    expect(sent?.input).toMatchObject({ FilterExpression: 'begins_with(#at, :v0)' });
    expect(ranges(visits('{day}'), 'visits').cases[0]?.requests[0]?.filter).toEqual([]);
  });

  test('are none of a write', () => {
    const resolved = resolve(tasks);
    const info = resolved.patterns.get('add');
    expect(info && rangesOf(resolved, info)).toBeUndefined();
  });
});

describe('ranges are what is sent', () => {
  const input = { username: 'alex', orderId: 'o1' };
  const given = { ...input, orderId: { from: 'o1', to: 'o7' } };

  test.each([
    ['customer', input],
    ['customerWithOrders', input],
    ['olderOrders', given],
    ['orderWithItems', input],
  ] as const)('%s', async (pattern, values) => {
    const db = connect(shop, { client: { send: async () => ({}) } as never });
    await ready(db);
    const functions = db as unknown as Record<string, { request: (input: object) => readonly { input: object }[] }>;
    const [sent] = functions[pattern]?.request(values) ?? [];
    const [only] = ranges(shop, pattern).cases;
    const [asked] = only?.requests ?? [];
    expect(asked && textsSent(sent?.input ?? {})).toEqual(asked && textsAsked(asked, values));
  });
});

/** The texts of keys in a request, in the order of its placeholders. */
function textsSent(request: { readonly Key?: object; readonly ExpressionAttributeValues?: object }): string[] {
  const values: Record<string, { readonly S?: string }> = { ...request.Key, ...request.ExpressionAttributeValues };
  return Object.values(values)
    .map(({ S = '' }) => S)
    .toSorted();
}

/** A range with two ends names both; a prefix is named once. */
function textsAsked({ partition, equal, range }: RangeRequest, values: object): string[] {
  const ends = range === undefined ? [] : range.from === range.to ? [range.from] : [range.from, range.to];
  return [...Object.values(partition), ...Object.values(equal), ...ends].map((text) => filled(text, values)).toSorted();
}

function filled(text: string, values: object): string {
  return text.replaceAll(/\{(\w+)(?:\.(\w+))?\}/g, (_, attribute: string, end: string | undefined) => {
    const value = (values as Readonly<Record<string, string | Readonly<Record<string, string>>>>)[attribute];
    return typeof value === 'string' ? value : (value?.[end ?? ''] ?? '');
  });
}
