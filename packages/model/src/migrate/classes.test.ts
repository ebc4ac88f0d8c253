import * as evaluator from '../patterns/evaluate.ts';
import { CreateTableCommand, DescribeTimeToLiveCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import { expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '../../test/test-database.ts';
import { entity, type Model, tableDefinitions } from '../index.ts';
import { resolve } from '../resolve/resolve.ts';
import { fromAttributeValue } from '../run/attribute-value.ts';
import { ItemCodec } from '../run/item-codec.ts';
import { markerBody, markerKey } from '../run/marker.ts';
import { snapshot } from '../versions/snapshot.ts';
import { connectDuring } from './connect-during.ts';
import { migration, type MigrationFunctions } from './migration.ts';
import { plan } from './plan.ts';
import { memoryCheckpoints, resume, run, undo } from './run.ts';
import { verify } from './verify.ts';

/** The differences between two versions of a model with one entity. */
interface Parts {
  readonly attributes?: Parameters<typeof entity>[0];
  readonly rules?: object;
  readonly tables?: Record<string, unknown>;
  readonly keys?: Record<string, unknown>;
  readonly storage?: object;
}

const attributes = { postId: z.string(), title: z.string(), likes: z.number().default(0) };

function made(parts: Parts): Model {
  const {
    rules = {},
    tables = { Blog: { key: ['PK', 'SK'] } },
    keys = { Blog: ['POST#{postId}', 'POST#{postId}'] },
    storage = {},
  } = parts;
  const model = {
    name: 'blog',
    relationships: [],
    patterns: {},
    served: {},
    tables,
    keys: { Post: keys },
    storage: { Post: storage },
  };
  // Assembled by hand, so that one part can be changed without the types of all others.
  return { ...model, entities: { Post: entity(parts.attributes ?? attributes, rules) } } as unknown as Model;
}

function sorted(values: readonly unknown[]): string[] {
  return values.map(String).toSorted();
}

const pause = async (): Promise<void> => new Promise((go) => setImmediate(go));
const titles = ['Hello', 'World', 'Again'];

/** Posts as the model would store them, with their guards. */
async function fill({ client }: TestDatabase, model: Model): Promise<void> {
  const post = resolve(model).entities.get('Post');
  if (post === undefined) throw new TypeError('no post');
  const codec = new ItemCodec(post, evaluator);
  for (const [index, title] of titles.entries()) {
    const values = { postId: `p${index}`, title, likes: index, ...(post.rules.lock !== undefined && { version: 1 }) };
    const guards = post.unique.map((unique) => ({
      ...markerKey(codec, unique, values),
      ...markerBody(codec, unique, values),
    }));
    for (const Item of [codec.encode(values), ...guards])
      await client.send(new PutItemCommand({ TableName: post.table.name, Item }));
  }
}

async function contents({ client }: TestDatabase, tables: readonly string[]): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (const TableName of tables) {
    const { Items = [] } = await client.send(new ScanCommand({ TableName }));
    items.push(...Items.map((item) => fromAttributeValue({ M: item }) as Record<string, unknown>));
  }
  return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

test.each<[string, Parts, Parts, MigrationFunctions, (items: Record<string, unknown>[]) => void]>([
  [
    'a stored name',
    {},
    { storage: { stored: { title: 't' } } },
    {},
    (items) => {
      expect(sorted(items.map(({ t }) => t))).toEqual(['Again', 'Hello', 'World']);
      expect(items.some((item) => 'title' in item)).toBe(false);
    },
  ],
  [
    'the kind of an attribute, with the way back',
    {},
    { attributes: { ...attributes, likes: z.string() } },
    {
      entities: { Post: ({ likes }) => ({ likes: String(likes) }) },
      back: { Post: ({ likes }) => ({ likes: Number(likes) }) },
    },
    (items) => expect(sorted(items.map(({ likes }) => likes))).toEqual(['0', '1', '2']),
  ],
  [
    'a lock',
    {},
    { attributes: { ...attributes, version: z.number() }, rules: { lock: 'version' } },
    {},
    (items) => expect(items.map(({ version }) => version)).toEqual([1, 1, 1]),
  ],
  [
    'the value of the type attribute',
    {},
    { storage: { type: 'P' } },
    {},
    (items) => expect(items.map(({ Type }) => Type)).toEqual(['P', 'P', 'P']),
  ],
  [
    'a unique attribute',
    {},
    { rules: { unique: ['title'] } },
    {},
    (items) =>
      expect(sorted(items.filter(({ Type }) => Type === 'Post.title').map(({ PK }) => PK))).toEqual([
        'POSTTITLE#Again',
        'POSTTITLE#Hello',
        'POSTTITLE#World',
      ]),
  ],
  ['a unique attribute that goes', { rules: { unique: ['title'] } }, {}, {}, (items) => expect(items.length).toBe(3)],
  [
    'the key of a unique attribute',
    { rules: { unique: ['title'] } },
    { rules: { unique: ['title'] }, storage: { unique: { title: { key: ['T#{title:lower}', 'T#{title:lower}'] } } } },
    {},
    (items) =>
      expect(sorted(items.flatMap(({ Type, PK }) => (Type === 'Post.title' ? [PK] : [])))).toEqual([
        'T#again',
        'T#hello',
        'T#world',
      ]),
  ],
  [
    'a unique attribute under another name, with guards of the same type',
    { rules: { unique: ['title'] }, storage: { unique: { title: { key: ['T#{title}', 'T'], type: 'Guard' } } } },
    {
      attributes: { postId: z.string(), name: z.string(), likes: z.number().default(0) },
      rules: { unique: ['name'] },
      storage: { stored: { name: 'title' }, unique: { name: { key: ['T#{name}', 'T'], type: 'Guard' } } },
    },
    {},
    (items) =>
      expect(sorted(items.flatMap(({ Type, PK }) => (Type === 'Guard' ? [PK] : [])))).toEqual([
        'T#Again',
        'T#Hello',
        'T#World',
      ]),
  ],
  [
    'the key of a local index',
    {
      tables: { Blog: { key: ['PK', 'SK'], indexes: { Titles: { local: 'L' } } } },
      keys: { Blog: ['POST#{postId}', 'POST#{postId}'], Titles: ['{title}'] },
    },
    {
      tables: { Blog: { key: ['PK', 'SK'], indexes: { Titles: { local: 'L' } } } },
      keys: { Blog: ['POST#{postId}', 'POST#{postId}'], Titles: ['T#{title}'] },
    },
    {},
    (items) => expect(sorted(items.map(({ L }) => L))).toEqual(['T#Again', 'T#Hello', 'T#World']),
  ],
  [
    'another table',
    {},
    { tables: { Blog: { key: ['PK', 'SK'] }, Posts: { key: ['postId'] } }, keys: { Posts: ['{postId}'] } },
    {},
    (items) =>
      expect(sorted(items.map(({ PK, postId }) => `${String(PK)} ${String(postId)}`))).toEqual([
        'undefined p0',
        'undefined p1',
        'undefined p2',
      ]),
  ],
  [
    'a default that a key is made of',
    { tables: { Blog: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK'] } } } },
    {
      attributes: { ...attributes, kind: z.string().default('note') },
      tables: { Blog: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK'] } } },
      keys: { Blog: ['POST#{postId}', 'POST#{postId}'], GSI1: ['KIND#{kind}'] },
    },
    {},
    (items) =>
      expect(items.map(({ GSI1PK, kind }) => [GSI1PK, kind])).toEqual(
        Array.from({ length: 3 }, () => ['KIND#note', 'note']),
      ),
  ],
])('%s: migrated, verified, and undone', async (_name, from, to, functions, look) => {
  const [before, after] = [made(from), made(to)];
  await using database = await testDatabase(before);
  const { client } = database;
  await fill(database, before);
  const old = await contents(database, ['Blog']);
  const migrated = migration(snapshot(before), snapshot(after), functions);
  const options = { client, pause, checkpoints: memoryCheckpoints() };
  await run(migrated, options);
  const tables = Object.keys(after.tables);
  look(await contents(database, tables));
  expect(await verify(migrated, options)).toMatchObject({ faults: [], entities: { Post: 3 } });
  await run(migrated, {
    ...options,
    checkpoints: memoryCheckpoints(),
    onProgress: ({ count }) => expect(count.written).toBe(0),
  });
  await undo(migrated, options);
  expect(await contents(database, tables)).toEqual(old);
});

test('a function makes values of old ones, so its plan asks for connectDuring', () => {
  const before = snapshot(made({}));
  const after = snapshot(made({ attributes: { ...attributes, views: z.number().default(0) } }));
  expect(plan(migration(before, after)).order.join(' ')).not.toContain('connectDuring');
  const functions = { entities: { Post: () => ({ views: 1 }) } };
  expect(plan(migration(before, after, functions)).order[0]).toContain('connectDuring');
});

test('a table that both versions write to while items move is created before the application is deployed', () => {
  const tables = { Blog: { key: ['PK', 'SK'] }, Posts: { key: ['postId'] } };
  const [before, after] = [made({}), made({ tables, keys: { Posts: ['{postId}'] } })];
  const { order } = plan(migration(snapshot(before), snapshot(after)));
  expect(order[0]).toBe('Create Posts: the writers of the new version need it before the run.');
  expect(order[1]).toContain('connectDuring');
});

test('numbers keep every digit, and attributes that no version knows stay', async () => {
  const [before, after] = [made({}), made({ keys: { Blog: ['P#{postId}', 'P#{postId}'] } })];
  await using database = await testDatabase(before);
  const { client } = database;
  const key = { PK: { S: 'POST#p' }, SK: { S: 'POST#p' } };
  const rest = {
    Type: { S: 'Post' },
    postId: { S: 'p' },
    title: { S: 't' },
    likes: { N: '0.12345678901234567890123456789' },
    other: { NS: ['1', '12345678901234567890'] },
  };
  await client.send(new PutItemCommand({ TableName: 'Blog', Item: { ...key, ...rest } }));
  await run(migration(snapshot(before), snapshot(after)), { client, pause, checkpoints: memoryCheckpoints() });
  const { Items } = await client.send(new ScanCommand({ TableName: 'Blog' }));
  expect(Items).toEqual([
    {
      ...rest,
      likes: { N: '0.12345678901234567890123456789' },
      other: { NS: expect.arrayContaining(['1', '12345678901234567890']) as string[] },
      PK: { S: 'P#p' },
      SK: { S: 'P#p' },
    },
  ]);
});

test('two items that come to the same key are both kept, and the run says which', async () => {
  const [before, after] = [made({}), made({ keys: { Blog: ['POST#{title}', 'POST#{title}'] } })];
  await using database = await testDatabase(before);
  const { client } = database;
  const codec = new ItemCodec(resolve(before).entities.get('Post') as ItemCodec['entity'], evaluator);
  for (const postId of ['a', 'b'])
    await client.send(new PutItemCommand({ TableName: 'Blog', Item: codec.encode({ postId, title: 'same' }) }));
  const migrated = migration(snapshot(before), snapshot(after));
  await expect(
    run(migrated, { client, pause, segments: 1, concurrency: 1, checkpoints: memoryCheckpoints() }),
  ).rejects.toMatchObject({ code: 'key-taken' });
  expect(sorted((await contents(database, ['Blog'])).map(({ postId }) => postId))).toEqual(['a', 'b']);
  expect(() => connectDuring(after, migrated, { client })).toThrow('does not contain postId');
});

test('what no migration does is refused, unless it is seen to by hand', async () => {
  const [before, after] = [made({}), made({ tables: { Blog: { key: ['PK', 'SK'], stream: 'NEW_IMAGE' } } })];
  await using database = await testDatabase(before);
  const options = { client: database.client, pause };
  await expect(run(migration(snapshot(before), snapshot(after)), options)).rejects.toMatchObject({ code: 'by-hand' });
  await run(migration(snapshot(before), snapshot(after), { byHand: ['tables.Blog.stream'] }), options);
});

test('a time to live with a default is stored by a function in items that lack it, so that they expire', async () => {
  const [before, after] = [
    made({}),
    made({ attributes: { ...attributes, endsAt: z.number().default(1) }, rules: { expires: 'endsAt' } }),
  ];
  await using database = await testDatabase(before);
  await fill(database, before);
  const versions = [snapshot(before), snapshot(after)] as const;
  const options = { client: database.client, pause, checkpoints: memoryCheckpoints() };
  await expect(run(migration(...versions), options)).rejects.toMatchObject({ code: 'by-hand' });
  const functions: MigrationFunctions = {
    byHand: ['entities.Post.expires'],
    entities: { Post: ({ endsAt }) => (endsAt === undefined ? { endsAt: 1_900_000_000 } : {}) },
  };
  await run(migration(...versions, functions), options);
  expect((await contents(database, ['Blog'])).map(({ endsAt }) => endsAt)).toEqual(titles.map(() => 1_900_000_000));
});

test('time to live is switched on, and off again, at most once an hour', async () => {
  const expiring = { attributes: { ...attributes, expiresAt: z.number().optional() }, rules: { expires: 'expiresAt' } };
  const [before, after] = [made({}), made(expiring)];
  let nowMs = Date.UTC(2026, 0, 1);
  await using database = await testDatabase(before, { clock: { nowMs: () => nowMs } });
  const { client } = database;
  const described = async (): Promise<object | undefined> =>
    (await client.send(new DescribeTimeToLiveCommand({ TableName: 'Blog' }))).TimeToLiveDescription;
  const migrated = migration(snapshot(before), snapshot(after));
  await run(migrated, { client, pause });
  await run(migrated, { client, pause });
  expect(await described()).toMatchObject({ AttributeName: 'expiresAt' });
  await expect(undo(migrated, { client, pause })).rejects.toMatchObject({ code: 'too-soon' });
  nowMs += 2 * 3_600_000;
  await resume(migrated, { client, pause });
  expect(await described()).toEqual({ TimeToLiveStatus: 'DISABLED' });
  // A version without the rule keeps what no longer expires.
  nowMs += 2 * 3_600_000;
  const back = migration(snapshot(after), snapshot(before));
  await undo(back, { client, pause });
  nowMs += 2 * 3_600_000;
  await run(back, { client, pause });
  expect(await described()).toEqual({ TimeToLiveStatus: 'DISABLED' });
});

test('checkpoints are not among items of their own type', async () => {
  const [before, after] = [made({}), made({ storage: { type: 'Migration' } })];
  await using database = await testDatabase(before);
  await fill(database, before);
  const migrated = migration(snapshot(before), snapshot(after));
  const options = { client: database.client, pause };
  await expect(run(migrated, options)).rejects.toMatchObject({ code: 'no-checkpoint-type' });
  await run(migrated, { ...options, checkpoints: memoryCheckpoints() });
  expect((await contents(database, ['Blog'])).map(({ Type }) => Type)).toEqual(['Migration', 'Migration', 'Migration']);
});

test('a throttled request about a table is sent again', async () => {
  const [before, after] = [made({}), made({ tables: { Blog: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK'] } } } })];
  await using database = await testDatabase(before);
  const throttled = new Set<string>();
  const send = async (command: Parameters<TestDatabase['client']['send']>[0]): Promise<unknown> => {
    const { name } = command.constructor;
    if (throttled.has(name)) return database.client.send(command);
    throttled.add(name);
    throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
  };
  const client = { send } as unknown as TestDatabase['client'];
  const migrated = migration(snapshot(before), snapshot(after));
  await run(migrated, { client, pause, checkpoints: memoryCheckpoints() });
  expect(throttled).toContain('UpdateTableCommand');
});

test('a unique attribute with a default is guarded where items lack it', async () => {
  const titled = (title: z.ZodType): Parts => ({
    attributes: { postId: z.string(), title },
    rules: { unique: ['title'] },
  });
  const [before, after] = [made(titled(z.string().optional())), made(titled(z.string().default('none')))];
  await using database = await testDatabase(before);
  const codec = new ItemCodec(resolve(before).entities.get('Post') as ItemCodec['entity'], evaluator);
  const put = async (postId: string): Promise<unknown> =>
    database.client.send(new PutItemCommand({ TableName: 'Blog', Item: codec.encode({ postId }) }));
  const options = { client: database.client, pause, checkpoints: memoryCheckpoints() };
  const migrated = migration(snapshot(before), snapshot(after));
  await put('a');
  await run(migrated, options);
  expect(sorted((await contents(database, ['Blog'])).map(({ PK }) => PK))).toEqual(['POST#a', 'POSTTITLE#none']);
  await put('b');
  await expect(run(migrated, options)).rejects.toMatchObject({ code: 'not-unique' });
});

test('a value that the guard of an item refuses is that of an item which has no form', async () => {
  const [before, after] = [made({}), made({ rules: { unique: ['title'] } })];
  await using database = await testDatabase(before);
  const codec = new ItemCodec(resolve(before).entities.get('Post') as ItemCodec['entity'], evaluator);
  const Item = codec.encode({ postId: 'p', title: 'one#two' });
  await database.client.send(new PutItemCommand({ TableName: 'Blog', Item }));
  const migrated = migration(snapshot(before), snapshot(after));
  const options = { client: database.client, pause, checkpoints: memoryCheckpoints() };
  await expect(run(migrated, options)).rejects.toMatchObject({ code: 'item-refused', key: { PK: { S: 'POST#p' } } });
});

test('a table without a sort key holds checkpoints as well; one whose key is not text does not', async () => {
  const simple = { tables: { Blog: { key: ['PK'] } }, keys: { Blog: ['POST#{postId}'] } };
  const [before, after] = [made(simple), made({ ...simple, storage: { stored: { title: 't' } } })];
  await using database = await testDatabase(before);
  await fill(database, before);
  await run(migration(snapshot(before), snapshot(after)), { client: database.client, pause });
  expect((await contents(database, ['Blog'])).filter(({ Type }) => Type === 'Migration').length).toBe(5);

  const numbered = { tables: { Blog: { key: ['at:N'] } }, keys: { Blog: ['{likes}'] } };
  for (const definition of tableDefinitions(made(numbered)))
    await database.client.send(new CreateTableCommand({ ...definition, TableName: 'Numbers' }));
  const other = migration(
    snapshot(made(numbered)),
    snapshot(made({ ...numbered, storage: { stored: { title: 't' } } })),
  );
  await expect(run(other, { client: database.client, tables: { Blog: 'Numbers' } })).rejects.toMatchObject({
    code: 'no-checkpoint-key',
  });
});
