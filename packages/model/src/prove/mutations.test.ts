import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDatabase } from 'singlet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fastClient } from '../../test/random-models/fast-client.ts';
import { modelOf, type ModelScript } from '../../test/random-models/model-script.ts';
import { withServed } from '../../test/random-models/random-write-model.ts';
import { prove } from './prove.ts';

/**
 * Tests that `prove` finds faults. Requests and answers are changed as an unsound plan or a faulty executor would change
 * them, one fault at a time, and `prove` must find each one.
 */
interface Request {
  [field: string]: unknown;
  Item?: Item;
  Key?: Item;
  Limit?: number;
  FilterExpression?: string;
  ConditionExpression?: string;
  KeyConditionExpression?: string;
  UpdateExpression?: string;
  ScanIndexForward?: boolean;
  ExclusiveStartKey?: Item;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, Value>;
  TransactItems?: Record<string, Request>[];
}
type Value = Record<string, unknown> & { readonly S?: string; readonly N?: string };
type Item = Record<string, Value>;
interface Answer {
  [field: string]: unknown;
  Items?: Item[];
  LastEvaluatedKey?: Item;
  Responses?: Record<string, Item[]>;
  Attributes?: Item;
}

interface Mutation {
  readonly request?: (operation: string, request: Request) => Request | undefined;
  readonly answer?: (operation: string, answer: Answer, request: Request) => Answer;
}

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await database.close();
});

/** A client that changes its requests and answers. A request that is dropped is answered as if it had succeeded. */
function mutated({
  request: change = (_, request) => request,
  answer: turn = (_, answer) => answer,
}: Mutation): DynamoDBClient {
  const honest = fastClient(database);
  const send = async (command: { readonly input: Request; readonly constructor: { readonly name: string } }) => {
    const operation = command.constructor.name.replace('Command', '');
    const input = change(operation, structuredClone(command.input));
    if (input === undefined) return {};
    const sent = Object.assign(Object.create(Object.getPrototypeOf(command) as object) as typeof command, {
      input: tidy(input),
    });
    return turn(operation, (await honest.send(sent as never)) as unknown as Answer, input);
  };
  return { send, destroy: () => undefined } as unknown as DynamoDBClient;
}

/** The service rejects placeholders that no expression uses. */
function tidy(request: Request): Request {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values, ...rest } = request;
  const text = Object.entries(rest)
    .filter(([field]) => field.endsWith('Expression'))
    .map(([, expression]) => `${String(expression)} `)
    .join(' ');
  const used = <T>(all: Record<string, T> | undefined): Record<string, T> =>
    Object.fromEntries(Object.entries(all ?? {}).filter(([name]) => new RegExp(`${name}(?![A-Za-z0-9_])`).test(text)));
  const [keptNames, keptValues] = [used(names), used(values)];
  const items = rest.TransactItems?.map((item) =>
    Object.fromEntries(Object.entries(item).map(([kind, action]) => [kind, tidy(action)])),
  );
  return {
    ...rest,
    ...(Object.keys(keptNames).length > 0 && { ExpressionAttributeNames: keptNames }),
    ...(Object.keys(keptValues).length > 0 && { ExpressionAttributeValues: keptValues }),
    ...(items !== undefined && { TransactItems: items }),
  };
}

const only =
  (operation: string, change: (request: Request) => Request | undefined) =>
  (name: string, request: Request): Request | undefined =>
    name === operation ? change(request) : request;

/** Changes the actions of single writes and of transactions alike. If an action is left out, no request is sent for it. */
const inActions =
  (change: (kind: string, action: Request) => Request | undefined) =>
  (operation: string, request: Request): Request | undefined => {
    const single = /^(Put|Update|Delete)Item$/.exec(operation)?.[1];
    if (single !== undefined) return change(single, request);
    if (operation !== 'TransactWriteItems') return request;
    const TransactItems = (request.TransactItems ?? []).flatMap((item) => {
      const [entry] = Object.entries(item);
      if (entry === undefined) return [];
      const changed = change(...entry);
      return changed === undefined ? [] : [{ [entry[0]]: changed }];
    });
    return TransactItems.length === 0 ? undefined : { ...request, TransactItems };
  };

const isGuard = ({ Item, Key }: Request): boolean => ((Item ?? Key)?.['PK']?.S ?? '').startsWith('BOOKTITLE');
const isAuthor = ({ Key }: Request): boolean => Key?.['SK']?.S === 'AUTHOR';
const without = (request: Request, field: string): Request => {
  const { [field]: _, ...rest } = request;
  return rest;
};
const valuesMapped = (request: Request, change: (value: Value, name: string) => Value): Request => ({
  ...request,
  ...(request.ExpressionAttributeValues !== undefined && {
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries(request.ExpressionAttributeValues).map(([name, value]) => [name, change(value, name)]),
    ),
  }),
});

const reads: ModelScript = {
  entities: {
    Order: {
      attributes: {
        c: { type: 'pattern', pattern: '^[a-z]$' },
        number: { type: 'int', min: 0, max: 999 },
        state: { type: 'enum', values: ['open', 'paid', 'sent'] },
        until: { type: 'int', optional: true },
      },
      rules: { expires: 'until' },
    },
  },
  patterns: {
    one: { reads: 'Order', by: ['c', 'number'] },
    several: { reads: 'Order', by: ['c', 'number'], each: true },
    inOrder: { reads: ['Order'], by: ['c'], order: 'number desc' },
    paid: { reads: ['Order'], by: ['c'], where: { state: 'paid' } },
    filtered: { reads: ['Order'], by: ['c'], filters: ['state', 'number'], expired: true },
    inState: { reads: ['Order'], by: ['c', 'state'], order: 'number asc', limit: 2 },
    all: { reads: ['Order'], order: 'number asc' },
  },
  tables: { Data: { key: ['PK', 'SK'], indexes: { States: ['States1', 'States2'], Shards: ['Shards1', 'Shards2'] } } },
  keys: {
    Order: {
      Data: ['C#{c}', 'O#{number:03}'],
      States: ['C#{c}', '{state}#{number:03}'],
      Shards: ['ALL#{c:shard3}', '{number:03}#{c}'],
    },
  },
  served: {
    one: 'GetItem',
    several: 'BatchGetItem',
    inOrder: { query: 'Data' },
    paid: { query: 'Data' },
    filtered: { query: 'Data' },
    inState: { query: 'States' },
    all: { query: 'Shards', fanOut: 3 },
  },
};

const writes: ModelScript = withServed({
  entities: {
    Author: {
      attributes: {
        author: { type: 'pattern', pattern: '^[ab]$' },
        books: { type: 'int', default: 0 },
        last: { type: 'int', default: 0 },
      },
    },
    Book: {
      attributes: {
        author: { type: 'pattern', pattern: '^[ab]$' },
        isbn: { type: 'pattern', pattern: '^[xyz]$' },
        title: { type: 'pattern', pattern: '^[pq]$' },
        state: { type: 'enum', values: ['open', 'lent'], default: 'open' },
        version: { type: 'int' },
      },
      rules: { unique: ['title'], lock: 'version' },
    },
    Note: {
      attributes: { author: { type: 'pattern', pattern: '^[ab]$' }, number: { type: 'int', min: 0, max: 999 } },
      rules: { sequence: { number: 'Author.last' } },
    },
  },
  relationships: [
    ['Author', '1:N', 'Book', { required: true, count: 'books' }],
    ['Author', '1:N', 'Note'],
  ],
  patterns: {
    signUp: { creates: 'Author' },
    add: { creates: 'Book' },
    lend: { updates: 'Book', by: ['author', 'isbn'], changes: { state: 'lent' }, given: { state: 'open' } },
    retitle: { updates: 'Book', by: ['author', 'isbn'], sets: ['title'] },
    drop: { deletes: 'Book', by: ['author', 'isbn'], mustExist: true },
    note: { creates: 'Note' },
  },
  tables: { Data: { key: ['PK', 'SK'], indexes: { Open: ['Open1', 'Open2'] } } },
  keys: {
    Author: { Data: ['A#{author}', 'AUTHOR'] },
    Book: {
      Data: ['A#{author}', 'B#{isbn}'],
      Open: { when: { state: 'open' }, key: ['OPEN', '{title}#{isbn}'] },
    },
    Note: { Data: ['A#{author}', 'N#{number:03}'] },
  },
  served: {},
});

describe('an honest service', () => {
  test.each([
    ['reads', reads, false],
    ['writes', writes, true],
  ] as const)('%s agree', async (_, script, withWrites) => {
    const report = await prove(modelOf(script), { client: mutated({}), runs: 10, writes: withWrites });
    expect(report.counterexamples).toEqual([]);
    expect(report.wrongWrites).toBeUndefined();
    // Every pattern was called, so a fault in any of them could have been found.
    expect(report.patterns.filter(({ verdict }) => verdict !== 'agrees')).toEqual([]);
  });

  test('a change that changes nothing is not found', async () => {
    const reversed = (operation: string, answer: Answer): Answer =>
      operation === 'BatchGetItem' ? { ...answer, Responses: structuredClone(answer.Responses) ?? {} } : answer;
    expect((await prove(modelOf(reads), { client: mutated({ answer: reversed }), runs: 6 })).ok).toBe(true);
  });
});

const wrongReads: readonly (readonly [string, Mutation])[] = [
  ['a filter is dropped', { request: only('Query', (request) => without(request, 'FilterExpression')) }],
  [
    'one of two tests is enough',
    {
      request: only('Query', (request) => ({
        ...request,
        ...(request.FilterExpression !== undefined && {
          FilterExpression: request.FilterExpression.replaceAll(' AND ', ' OR '),
        }),
      })),
    },
  ],
  [
    'the direction is turned round',
    { request: only('Query', (request) => ({ ...request, ScanIndexForward: request.ScanIndexForward === false })) },
  ],
  [
    'the sort key is not looked at',
    {
      request: only('Query', (request) => ({
        ...request,
        KeyConditionExpression: (request.KeyConditionExpression ?? '').replace(/ AND .*$/, ''),
      })),
    },
  ],
  [
    'another beginning of the sort key',
    {
      request: only('Query', (request) =>
        valuesMapped(request, (value) =>
          /^(open|paid|sent)#/.test(value.S ?? '')
            ? { S: (value.S ?? '').replace(/^(open|paid|sent)/, 'open') }
            : value,
        ),
      ),
    },
  ],
  [
    'reads end with the first page',
    { answer: (operation, answer) => (operation === 'Query' ? without(answer, 'LastEvaluatedKey') : answer) },
  ],
  [
    'a page begins where the one before began',
    { request: only('Query', (request) => without(request, 'ExclusiveStartKey')) },
  ],
  [
    'the last item of each page is lost',
    {
      answer: (operation, answer) =>
        operation === 'Query' ? { ...answer, Items: answer.Items?.slice(0, -1) ?? [] } : answer,
    },
  ],
  [
    'the first item of each page comes twice',
    {
      answer: (operation, answer) =>
        operation === 'Query'
          ? { ...answer, Items: [...(answer.Items?.slice(0, 1) ?? []), ...(answer.Items ?? [])] }
          : answer,
    },
  ],
  [
    'items expire a second early',
    {
      request: only('Query', (request) =>
        valuesMapped(request, (value) =>
          /^17\d{8}$/.test(value.N ?? '') ? { N: String(Number(value.N) + 1) } : value,
        ),
      ),
    },
  ],
  [
    'one shard is not asked',
    {
      answer: (operation, answer, request) =>
        operation === 'Query' && Object.values(request.ExpressionAttributeValues ?? {}).some(({ S }) => S === 'ALL#2')
          ? { Items: [] }
          : answer,
    },
  ],
  [
    'a batch loses a key',
    {
      answer: (operation, answer) =>
        operation === 'BatchGetItem'
          ? {
              ...answer,
              Responses: Object.fromEntries(
                Object.entries(answer.Responses ?? {}).map(([table, items]) => [table, items.slice(1)]),
              ),
            }
          : answer,
    },
  ],
  ['a get reads nothing', { answer: (operation, answer) => (operation === 'GetItem' ? {} : answer) }],
];

const wrongWrites: readonly (readonly [string, Mutation])[] = [
  [
    'an item is created over another',
    { request: inActions((kind, action) => (kind === 'Put' ? without(action, 'ConditionExpression') : action)) },
  ],
  [
    'a guard is not written',
    { request: inActions((kind, action) => (kind === 'Put' && isGuard(action) ? undefined : action)) },
  ],
  [
    'a guard is not released',
    { request: inActions((kind, action) => (kind === 'Delete' && isGuard(action) ? undefined : action)) },
  ],
  [
    'children are not counted',
    {
      request: inActions((kind, action) =>
        kind === 'Update' && isAuthor(action) && /books/.test(JSON.stringify(action.ExpressionAttributeNames))
          ? undefined
          : action,
      ),
    },
  ],
  [
    'a child is counted twice',
    {
      request: inActions((kind, action) =>
        kind === 'Update' && isAuthor(action)
          ? valuesMapped(action, (value) => (value.N === '1' ? { N: '2' } : value))
          : action,
      ),
    },
  ],
  [
    'a parent need not be there',
    {
      request: inActions((kind, action) =>
        isAuthor(action) && kind !== 'Put' ? without(action, 'ConditionExpression') : action,
      ),
    },
  ],
  [
    'a condition of an update is dropped',
    {
      request: inActions((kind, action) =>
        kind === 'Update' && !isAuthor(action) ? without(action, 'ConditionExpression') : action,
      ),
    },
  ],
  [
    'a version stays as it is',
    {
      request: inActions((kind, action) =>
        kind === 'Update' && !isAuthor(action)
          ? {
              ...action,
              UpdateExpression: (action.UpdateExpression ?? '').replaceAll(/(#version = ):\w+/g, '$1#version'),
            }
          : action,
      ),
    },
  ],
  [
    'an index key is not written',
    {
      request: inActions((kind, action) => {
        if (kind !== 'Put' || action.Item === undefined) return action;
        const { Open1: _, Open2: __, ...Item } = action.Item;
        return { ...action, Item };
      }),
    },
  ],
  [
    'an index key keeps its old value',
    {
      request: inActions((kind, action) =>
        kind === 'Update'
          ? valuesMapped(action, (value) => (/^[pq]#[xyz]$/.test(value.S ?? '') ? { S: `${String(value.S)}!` } : value))
          : action,
      ),
    },
  ],
  [
    'a default is not stored',
    {
      request: inActions((kind, action) => {
        if (kind !== 'Put' || action.Item?.['state']?.S !== 'open') return action;
        const { state: _, ...Item } = action.Item;
        return { ...action, Item };
      }),
    },
  ],
  [
    'an item is not deleted',
    { request: inActions((kind, action) => (kind === 'Delete' && !isGuard(action) ? undefined : action)) },
  ],
  [
    'half of a transaction is written',
    {
      request: only('TransactWriteItems', (request) => ({
        ...request,
        TransactItems: request.TransactItems?.slice(0, Math.max(1, (request.TransactItems.length + 1) >> 1)) ?? [],
      })),
    },
  ],
  [
    'a number is given out twice',
    {
      request: only('UpdateItem', (request) =>
        isAuthor(request) && /last/.test(JSON.stringify(request.ExpressionAttributeNames))
          ? valuesMapped(request, (value) => (value.N === '1' ? { N: '0' } : value))
          : request,
      ),
    },
  ],
];

test('there are more than twenty faults', () => expect(wrongReads.length + wrongWrites.length).toBeGreaterThan(25));

/** Runs until a fault is found. */
async function found(script: ModelScript, mutation: Mutation, withWrites: boolean) {
  const stop = new AbortController();
  return prove(modelOf(script), {
    client: mutated(mutation),
    runs: 40,
    signal: stop.signal,
    writes: withWrites,
    onProgress: ({ wrong }) => {
      if (wrong > 0) stop.abort();
    },
  });
}

describe('a fault in reading is found', () => {
  test.each(wrongReads)('%s', async (_, mutation) => {
    const { counterexamples } = await found(reads, mutation, false);
    expect(counterexamples).not.toEqual([]);
  });
});

describe('a fault in writing is found', () => {
  test.each(wrongWrites)('%s', async (_, mutation) => {
    const { wrongWrites: wrong } = await found(writes, mutation, true);
    expect(wrong?.message).toEqual(expect.any(String));
    // Shrunk: no step could be left out.
    expect(wrong?.steps.length).toBeLessThanOrEqual(8);
  });
});
