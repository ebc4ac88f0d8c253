import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { SeededRandom } from './demo/seeded-random.ts';
import { findApplications } from './find-applications.ts';
import { loadReport, LoadSite, runLoad, type StoredItem } from './http/load.ts';
import { readArguments } from './load-arguments.ts';
import { openEmbeddedDatabase } from './testing/databases.ts';
import { drawn } from './testing/drawn.ts';
import { faultsOnceSettled, storedItems } from './testing/load-checks.ts';

const applications = await findApplications();
const ANSWERS = 150;

type Damage = (items: readonly StoredItem[]) => readonly StoredItem[];

const typeOf = (item: StoredItem): unknown => item['Type'] ?? item['type'] ?? item['entity_type'];
const isA =
  (type: string) =>
  (item: StoredItem): boolean =>
    typeOf(item) === type;

/** As if one item had been lost. */
const without =
  (is: (item: StoredItem) => boolean): Damage =>
  (items) =>
    items.toSpliced(items.findIndex(is), 1);

/** As if one item had been written wrongly. */
const changing =
  (is: (item: StoredItem) => boolean, change: object): Damage =>
  (items) =>
    items.with(items.findIndex(is), { ...items.find(is), ...change });

/** What the checks must find. */
const DAMAGE: Readonly<Record<string, Readonly<Record<string, Damage>>>> = {
  'access-control': {
    'a copy is missing': without(isA('UserPolicy')),
    'a copy that no role brings': without(isA('UserRole')),
    'a copy of an earlier version': changing(isA('UserPolicy'), { policyVersion: 0 }),
  },
  'additive-manufacturing': {
    'a skipped station': without((item) => item['step'] === 'mixing'),
    'a part without its guard': without(isA('PartGuard')),
    'a guard without its part': without(isA('Part')),
    'a usage that is not counted': changing(isA('MaterialStats'), { usageCount: 0 }),
  },
  'big-time-deals': {
    'a like that is counted and lost': without(isA('BrandLike')),
    'a wrong count of watchers': changing(isA('Category'), { WatchCount: -1 }),
  },
  blog: {
    'one copy of a post': without(isA('POST')),
    'copies with two titles': changing(isA('POST'), { title: 'Another' }),
    'a comment of no post': changing(isA('COMMENT'), { post_id: 'none' }),
  },
  'dating-app': {
    'a mutual like without a match': without(isA('Match')),
    'a match without a guard': without(isA('PairGuard')),
  },
  'e-commerce': {
    'a lost line': without(isA('OrderItem')),
    'lines without an order': without(isA('Order')),
    'an address that is not reserved': without(isA('CustomerEmail')),
    'a reservation without a customer': without(isA('Customer')),
  },
  github: {
    'a lost star': without(isA('Star')),
    'a wrong count of open issues': changing(isA('Repo'), { OpenIssueCount: -1 }),
    'two issues of one number': (items) => [...items, ...items.filter(isA('PullRequest')).slice(0, 1)],
  },
  'github-migrations': { 'a wrong count of stars': changing(isA('Repo'), { StarCount: -1 }) },
  'job-scheduler': {
    'a finished job that waits': changing((item) => item['status'] === 'done', { status: 'queued', GSI_1_PK: 'x' }),
    'a finished job in the index': changing((item) => item['status'] === 'done', { GSI_1_PK: 'x' }),
    'a finished job that is dead': changing((item) => item['status'] === 'done' && item['jobId'] !== '1', {
      status: 'dead',
    }),
  },
  'lesson-shop': {
    'copies of an order that differ': changing(isA('OrderHeader'), { status: 'LOST' }),
    'a lost item': without(isA('OrderItem')),
  },
  'session-store': { 'lost sessions': () => [] },
  'support-desk': {
    'a lost message': without(isA('Message')),
    'a closed ticket in the list': changing((item) => item['status'] === 'OPEN', { status: 'CLOSED' }),
  },
};

test.each([...applications])('the README of %s names its load', async (name) => {
  const readme = await readFile(new URL(`${name}/README.md`, import.meta.url), 'utf8');
  expect(readme).toContain(`npm run load -- ${name}`);
});

test('every application has damage that its check must find', () => {
  expect(Object.keys(DAMAGE)).toEqual([...applications.keys()]);
});

// A run draws half of them. All are in a storm in each (storm.test.ts).
describe.each(drawn('applications under load', [...applications], 2))(
  '%s under load',
  (name, { start, load, usualScale }) => {
    test(`nothing fails, and ${load.holds}`, async () => {
      const database = await openEmbeddedDatabase();
      const client = new DynamoDBClient(database.clientConfig);
      const scale = Math.min(usualScale, 0.01);
      try {
        const server = await start({
          database,
          client,
          port: 0,
          scale,
          say: () => undefined,
          onFault: () => undefined,
          checksAnswers: true,
        });
        try {
          const random = new SeededRandom(1);
          const { actions, faultsIn, settle } = await load.open(new LoadSite({ url: server.url, scale, random }));
          const result = await runLoad({ actions, callers: 4, until: (answers) => answers >= ANSWERS, random });
          expect(result.firstFailures).toEqual([]);
          expect(result.failures).toBe(0);
          expect(result.actions.reduce((sum, { latenciesMs }) => sum + latenciesMs.length, 0)).toBe(ANSWERS);
          expect(loadReport(result).split('\n')).toHaveLength(actions.length + 2);
          await settle?.();
          expect(await faultsOnceSettled(client, faultsIn)).toEqual([]);

          const items = await storedItems(client);
          for (const [title, damage] of Object.entries(DAMAGE[name] ?? {})) {
            expect([title, faultsIn(damage(items)).length]).not.toEqual([title, 0]);
          }
        } finally {
          await server.close();
        }
      } finally {
        client.destroy();
        await database.close();
      }
    });
  },
);

test('an action that fails is counted and shown, and one that may is not', async () => {
  const answer = (status: number) => async () => await Promise.resolve(new Response('No.', { status }));
  const actions = [
    { name: 'refused', weight: 1, act: answer(409) },
    { name: 'allowed', weight: 1, allows: [409], act: answer(409) },
    { name: 'lost', weight: 1, act: async () => await Promise.reject(new TypeError('no answer')) },
  ];
  let next = 0;
  const random = { weightedIndex: () => next++ % actions.length };
  const result = await runLoad({ actions, callers: 1, until: (answers) => answers >= 6, random });
  expect(result.actions.map(({ failures }) => failures)).toEqual([2, 0, 2]);
  expect(result.firstFailures).toEqual([
    'refused: 409 No.',
    'lost: TypeError: no answer',
    'refused: 409 No.',
    'lost: TypeError: no answer',
  ]);
  expect(result.failures).toBe(4);
});

describe('npm run load', () => {
  const program = fileURLToPath(new URL('load.ts', import.meta.url));
  // Types are removed once for all tests, where tsx would do it again.
  const sources = fileURLToPath(new URL('../packages/singlet/test/run/sources.mjs', import.meta.url));
  const run = async (...words: string[]) => {
    const command = promisify(execFile)(process.execPath, ['--import', sources, program, ...words]);
    return await command.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
    );
  };

  // A run draws one of each two that start processes.
  test.each(
    drawn('loads', [
      {
        does: 'loads an application, prints the figures, and says what holds',
        words: ['dating-app', '--seconds', '0.5'],
        says: [
          /^action +requests +per second +p50 ms +p99 ms +longest ms +failures$/m,
          /^together +[1-9]/m,
          /Holds: every pair that likes one another has one match and one guard/,
        ],
      },
      {
        does: 'kills the application, starts it again, and what must hold does',
        words: ['job-scheduler', '--seconds', '3', '--kills', '1'],
        says: [/Killed and started again, 1 of 1/, /Holds: every job that was due is done or dead/],
      },
    ]),
  )('$does', async ({ words, says }) => {
    const { code, stdout } = await run(...words, '--scale', '0.001', '--callers', '4');
    for (const text of says) expect(stdout).toMatch(text);
    expect(code).toBe(0);
  });

  // The others are read in this process: the program loads all applications to say how it is used.
  test.each(
    drawn('usage', [
      { words: ['--help'], expected: 0, text: 'Usage: npm run load' },
      {
        words: ['blog', '--callers', '0'],
        expected: 2,
        text: '--callers takes a number from 1 to 1000, not "0"\nUsage: npm run load',
      },
    ]),
  )('$words', async ({ words, expected, text }) => {
    const { code, stdout, stderr } = await run(...words);
    expect(code).toBe(expected);
    expect(stdout + stderr).toContain(text);
  });

  test.each([
    [['none'], 'There is no application "none"'],
    [['blog', '--callers', '1.5'], '--callers takes a whole number'],
    [['blog', '--seconds', 'x'], '--seconds takes a number from 0.1 to 600, not "x"'],
    [['blog', '--url', 'here'], '--url takes an address'],
    [['blog', '--kills', '1.5'], '--kills takes a whole number'],
    [['blog', '--kills', '1', '--url', 'http://127.0.0.1:1'], '--url and --kills exclude each other'],
    [['blog', '--caller', '1'], "Unknown option '--caller'"],
    [[], 'Name an application'],
  ])('refuses %j', async (words, text) => {
    await expect(readArguments(words)).rejects.toThrow(text);
  });

  test('reads an application and its options', async () => {
    expect(await readArguments(['blog', '--callers', '4', '--seconds', '0.5', '--url', 'http://127.0.0.1:1/'])).toEqual(
      {
        name: 'blog',
        application: applications.get('blog'),
        callers: 4,
        seconds: 0.5,
        scale: applications.get('blog')?.usualScale,
        seed: 1,
        kills: 0,
        url: 'http://127.0.0.1:1',
      },
    );
    expect(await readArguments(['--help'])).toBeUndefined();
  });
});
