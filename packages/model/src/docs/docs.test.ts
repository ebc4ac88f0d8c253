import { expect, test } from 'vitest';
import { z } from 'zod';
import { mixed } from '../../test/patterns.model.ts';
import { shop } from '../../test/shop.model.ts';
import { entity, model } from '../index.ts';
import { documentation, documentOf } from './index.ts';

const whole = documentOf(shop);

test('S-02: the diagram has every entity and relationship', () => {
  expect(whole.relationships).toEqual([
    { parent: 'Customer', child: 'Order', cardinality: '1:N', label: 'required' },
    { parent: 'Order', child: 'OrderItem', cardinality: '1:N', label: '' },
  ]);
  const notes = model('notes')
    .entities({ User: entity({ username: z.string() }), Note: entity({ username: z.string(), noteId: z.string() }) })
    .relationships([['User', '1:N', 'Note']])
    .patterns({ notes: { reads: ['Note'], by: ['username'], limit: 10 } })
    .tables({ Notes: { key: ['PK', 'SK'] } })
    .keys({ User: { Notes: ['USER#{username}', 'USER'] }, Note: { Notes: ['USER#{username}', 'NOTE#{noteId}'] } })
    .served({ notes: { query: 'Notes' } });
  const markdown = documentation(notes, 'markdown');
  expect(markdown).toContain('  User ||--o{ Note : "has"');
  expect(markdown.match(/^ {2}\w+ \{$/gm)).toEqual(['  User {', '  Note {']);
});

test('a relationship is described where no box is, within the picture', () => {
  const tracker = model('tracker')
    .entities({
      Org: entity({ org: z.string(), teams: z.number().default(0), minutes: z.number().default(0) }),
      Team: entity({ org: z.string(), team: z.string(), parent: z.string().optional(), minutes: z.number() }),
      Task: entity({ org: z.string(), team: z.string(), task: z.string() }),
    })
    .relationships([
      ['Org', '1:N', 'Team', { required: true, count: 'teams', sum: { minutes: 'minutes' } }],
      ['Org', '1:N', 'Task', { required: true }],
      ['Team', '1:N', 'Task', { required: true }],
      ['Team', '1:N', 'Team', { by: { team: 'parent' }, required: true }],
    ])
    .patterns({ team: { reads: 'Team', by: ['org', 'team'] } })
    .tables({ Work: { key: ['PK', 'SK'] } })
    .keys({
      Org: { Work: ['ORG#{org}', 'ORG'] },
      Team: { Work: ['ORG#{org}', 'TEAM#{team}'] },
      Task: { Work: ['ORG#{org}#TEAM#{team}', 'TASK#{task}'] },
    })
    .served({ team: 'GetItem' });
  const html = documentation(tracker, 'html');
  const numbers = (pattern: RegExp): number[][] =>
    [...html.matchAll(pattern)].map((found) =>
      found
        .slice(1)
        .filter((text) => /^\d+(\.\d+)?$/.test(text))
        .map(Number),
    );
  const [[width = 0, height = 0] = []] = numbers(/viewBox="0 0 (\d+) (\d+)"/g);
  const boxes = numbers(/<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/g);
  const labels = [...html.matchAll(/<text x="([\d.]+)" y="([\d.]+)" class="label" text-anchor="(\w+)">([^<]+)</g)];
  expect(labels.map(([, , , , text]) => text).toSorted((a = '', b = '') => a.localeCompare(b))).toEqual([
    'counted in teams',
    'minutes added up in minutes',
    'required',
    'required',
    'required',
    'required',
  ]);
  for (const [, x, y, anchor, text = ''] of labels) {
    const wide = text.length * 6;
    const left = Number(x) - (anchor === 'middle' ? wide / 2 : 0);
    const [top, bottom] = [Number(y) - 10, Number(y) + 3];
    expect([left, top].every((each) => each >= 0) && left + wide <= width && bottom <= height, text).toBe(true);
    for (const [boxX = 0, boxY = 0, boxWidth = 0, boxHeight = 0] of boxes) {
      const isBeside = left + wide <= boxX || left >= boxX + boxWidth || bottom <= boxY || top >= boxY + boxHeight;
      expect(isBeside, text).toBe(true);
    }
  }
});

test('S-03, S-04: every pattern has its row, every entity and marker its keys', () => {
  expect(whole.patternChart.rows.map(([id, pattern]) => `${id ?? ''} ${pattern ?? ''}`)).toEqual(
    Object.entries(shop.patterns).map(([name, { id }]) => `${id} ${name}`),
  );
  expect(whole.entityChart[0]?.chart.rows.map(([name]) => name)).toEqual([
    'Customer',
    'CustomerEmail',
    'Order',
    'OrderItem',
  ]);
  expect(whole.entityChart[0]?.chart.rows.at(-1)).toEqual([
    'OrderItem',
    'ORDER#{orderId}#ITEM#{itemId}',
    'ORDER#{orderId}#ITEM#{itemId}',
    'ORDER#{orderId} / ITEM#{itemId}',
  ]);
});

test('the keys of what is written are shown, with those of indexes, guards and parents that count', () => {
  const teams = model('teams')
    .entities({
      Member: entity(
        { team: z.string(), id: z.string(), email: z.string(), isOwner: z.boolean() },
        { unique: ['email'] },
      ),
      Rule: entity({ id: z.string() }),
      Team: entity({ team: z.string(), members: z.number().default(0) }),
    })
    .relationships([['Team', '1:N', 'Member', { count: 'members' }]])
    .patterns({
      join: { creates: 'Member' },
      rename: { updates: 'Team', by: ['team'], changes: { members: 0 } },
      own: { updates: 'Member', by: ['team', 'id'], changes: { isOwner: true } },
      leave: { deletes: 'Member', by: ['team', 'id'] },
      rule: { reads: 'Rule', by: ['id'] },
    })
    .tables({ Teams: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
    .keys({
      Member: {
        Teams: ['TEAM#{team}', 'MEMBER#{id}'],
        GSI1: { when: { isOwner: true }, key: ['OWNERS#{team}', '{id}'] },
      },
      Rule: { Teams: ['RULE#{id}', 'RULE'] },
      Team: { Teams: ['TEAM#{team}', 'A'] },
    })
    .served({
      join: 'TransactWriteItems',
      rename: 'UpdateItem',
      own: 'UpdateItem',
      leave: ['GetItem', 'TransactWriteItems'],
      rule: 'GetItem',
    });
  expect(documentOf(teams).writeChart.rows).toEqual([
    [
      'join',
      'PK = TEAM#{team}, SK = MEMBER#{id}; GSI1: GSI1PK = OWNERS#{team}, GSI1SK = {id} when isOwner is true; PK = MEMBEREMAIL#{email}, SK = MEMBEREMAIL#{email}; PK = TEAM#{team}, SK = A',
    ],
    ['rename', 'PK = TEAM#{team}, SK = A'],
    ['own', 'PK = TEAM#{team}, SK = MEMBER#{id}; GSI1: GSI1PK = OWNERS#{team}, GSI1SK = {id} when isOwner is true'],
    [
      'leave',
      'PK = TEAM#{team}, SK = MEMBER#{id}; PK = MEMBEREMAIL#{email}, SK = MEMBEREMAIL#{email}; PK = TEAM#{team}, SK = A',
    ],
  ]);
});

test('T-01, DB-268: views hold sample items in the order of their bytes, children beside their parents', () => {
  for (const { views } of [whole, documentOf(mixed)]) {
    for (const { collections, place } of views) {
      for (const { items } of collections) {
        const sorts = items.map(({ sort }) => sort);
        if (place.sort.every(({ type }) => type === 'S')) {
          expect(sorts).toEqual(sorts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
        }
      }
    }
  }
  const [table, index] = whole.views;
  expect(table?.collections.some(({ items }) => new Set(items.map(({ type }) => type)).size === 2)).toBe(true);
  expect(index?.collections.every(({ items }) => items.some(({ type }) => type === 'Order'))).toBe(true);
});

test('views hold what is there beside the items: guards, all copies, and in an index the keys of the table', () => {
  const kept = model('kept')
    .entities({
      User: entity({ userId: z.string(), email: z.email() }, { unique: ['email'] }),
      Banner: entity({ text: z.string() }, { copies: 2 }),
    })
    .relationships([])
    .patterns({ byEmail: { reads: ['User'], by: ['email'], attributes: ['userId'], limit: 1 } })
    .tables({
      Kept: { key: ['PK', 'SK'], indexes: { Mail: { partition: ['mail'], project: ['userId'] } } },
    })
    .keys({
      User: { Kept: ['USER#{userId}', 'USER'], Mail: ['{email:lower}'] },
      Banner: { Kept: ['BANNER#{copy}', 'BANNER'] },
    })
    .served({ byEmail: { query: 'Mail' } });
  const [table, index] = documentOf(kept, { samples: 1 }).views;
  expect(table?.collections.flatMap(({ items }) => items.map(({ type }) => type))).toEqual([
    'Banner',
    'Banner',
    'User',
    'User.email',
  ]);
  expect(
    index?.collections.flatMap(({ items }) => items.map(({ attributes }) => attributes.map(([name]) => name))),
  ).toEqual([['PK', 'SK', 'userId']]);
});

test('an item of which no guard can be made is in no view, rather than an error', () => {
  const kept = model('kept')
    .entities({ User: entity({ userId: z.string(), email: z.email() }, { unique: ['email'] }) })
    .relationships([])
    .patterns({ signUp: { creates: 'User' } })
    .tables({ Kept: { key: ['PK', 'SK'] } })
    .keys(
      { User: { Kept: ['USER#{userId}', 'USER'] } },
      { User: { unique: { email: { key: ['EMAIL#{email:ksuid:day}', 'EMAIL'] } } } },
    )
    .served({ signUp: 'TransactWriteItems' });
  expect(documentOf(kept, { samples: 1 }).views.flatMap(({ collections }) => collections)).toEqual([]);
});

test('the same model gives the same text', () => {
  expect(documentation(mixed, 'markdown')).toBe(documentation(mixed, 'markdown'));
});

test('the page needs nothing else and takes nothing for markup', () => {
  const odd = model('<script>alert(1)</script>')
    .entities({ Thing: entity({ id: z.string() }, { examples: { id: ['<b>&"'] } }) })
    .relationships([])
    .patterns({ thing: { reads: 'Thing', by: ['id'], note: '<i>note</i>' } })
    .tables({ Things: { key: ['PK'] } })
    .keys({ Thing: { Things: ['{id}'] } })
    .served({ thing: 'GetItem' });
  const page = documentation(odd, 'html');
  expect(page).not.toMatch(/<b>&|<i>note|https?:|src=|@import/);
  // Its own script, which searches, and none of the model's.
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).toContain('&lt;script&gt;alert(1)');
  expect(page).toContain('&lt;b&gt;&amp;&quot;');
  expect(documentation(shop, 'html')).toContain('<rect');
});

test('S-15, S-26: the decision record says what was chosen, what it takes and which strategies serve', () => {
  const customer = { ...shop.patterns.customer, strategy: 'S-29' };
  expect(documentOf({ ...shop, patterns: { ...shop.patterns, customer } }).decisions).toEqual([
    expect.stringMatching(/^One table, Shop, for 3 entities: .* The price: a new pattern may need a backfill/),
    'Patterns that take one request, or several side by side: 9 of 10.',
    'Patterns that take 2 requests, one after the other: 1 of 10 (changeEmail).',
    'Strategies in Shop: S-29.',
  ]);
  expect(documentOf(mixed).decisions[0]).toBe(
    '2 tables: Mixed, Readings. The price: what is in several of them takes several requests, and each table its own alarms and capacity.',
  );
  expect(documentation(shop, 'markdown')).toContain(whole.decisions.map((decision) => `- ${decision}`).join('\n'));
});
