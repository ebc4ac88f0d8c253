import { connect } from '@singlet/model';
import { expect, test } from 'vitest';
import { errorOf, openExample } from '../testing/example-database.ts';
import { assembled, history, parts } from './versions.ts';

const at = (time: string) => `2020-10-19T${time}Z`;

const openHistory = async () => {
  const { client } = await openExample(history);
  const db = connect(history, { client, pause: async () => undefined });
  const document = 'doc1';
  await db.create({ document });
  const draft = async (number: number, author: string, time: string) =>
    await db.draft({
      document,
      number,
      author,
      at: at(time),
      draftOwner: author,
      draftUntil: at('23:00:00'),
      now: at(time),
    });
  const commit = async (number: number, me: string) =>
    await db.commit({
      pointer: { document, current: number, expected: number - 1 },
      version: { document, number, me },
    });
  const current = async () => {
    const number = (await db.pointer({ document }))?.current ?? 0;
    return await db.version({ document, number });
  };
  await draft(1, 'Tom', '09:19:32');
  await commit(1, 'Tom');
  await draft(2, 'Simon', '09:22:52');
  await commit(2, 'Simon');
  return { db, document, draft, commit, current };
};

test('P-27 a commit makes a draft the current version, and all versions are kept', async () => {
  const { db, document, draft, commit, current } = await openHistory();
  await draft(3, 'John', '09:24:42');
  expect((await current())?.author).toBe('Simon'); // .a
  const listed = async () => (await db.versions({ document })).items.map(({ number }) => number);
  const committed = async () => {
    const { current: newest = 0 } = (await db.pointer({ document })) ?? {};
    return (await listed()).filter((number) => number <= newest);
  };
  expect([await listed(), await committed()]).toEqual([
    [3, 2, 1],
    [2, 1],
  ]); // .e
  await commit(3, 'John');
  expect((await current())?.author).toBe('John'); // .b
  expect(await committed()).toEqual([3, 2, 1]);
  for (let number = 4; number <= 12; number += 1) {
    await draft(number, 'Tom', '10:00:00');
    await commit(number, 'Tom');
  }
  expect((await committed()).slice(0, 4)).toEqual([12, 11, 10, 9]); // .d
});

test('P-27 one of two writers succeeds; a draft whose term has ended is replaced', async () => {
  const { db, document, draft, commit } = await openHistory();
  await draft(3, 'John', '09:24:42');
  expect(await errorOf(draft(3, 'Tom', '09:25:00'))).toMatchObject({ name: 'RuleError' }); // .c
  const late = {
    document,
    number: 3,
    author: 'Tom',
    at: at('23:30:00'),
    draftOwner: 'Tom',
    draftUntil: at('23:59:00'),
    now: at('23:30:00'),
  };
  await db.draft(late);
  expect(await errorOf(commit(3, 'John'))).toMatchObject({ code: 'condition-failed', part: 'version' });
  await commit(3, 'Tom');
  expect(await errorOf(commit(3, 'Tom'))).toMatchObject({ code: 'condition-failed' }); // .f
});

test('P-28 the latest part, the whole document, and the document as of a time are read', async () => {
  const { client, requests } = await openExample(parts);
  const db = connect(parts, { client });
  const document = 'kbh';
  const write = async (
    part: 'INTRO' | 'MAIN_CONTENT' | 'SUMMARY',
    version: number,
    author: string,
    time: string,
    text = author,
  ) => await db.write({ document, part, version, author, at: at(time), text });
  await write('INTRO', 1, 'Tom', '09:19:32', 'x'.repeat(50_000));
  await write('MAIN_CONTENT', 1, 'Simon', '09:22:52');
  await write('SUMMARY', 1, 'John', '09:24:42');
  requests();
  await write('MAIN_CONTENT', 2, 'Tom', '10:19:32');
  expect(requests()[0]?.output?.['ConsumedCapacity']).toMatchObject({ CapacityUnits: 1 }); // .d
  const latest = async () => (await db.latest({ document, part: 'MAIN_CONTENT' })).items.map(({ version }) => version);
  expect(await latest()).toEqual([2]); // .a
  const { items } = await db.all({ document });
  const versions = (asOf?: string) => assembled(items, asOf).map(({ part, version }) => `${part} ${version}`);
  expect(versions()).toEqual(['INTRO 1', 'MAIN_CONTENT 2', 'SUMMARY 1']); // .b
  expect(versions(at('10:00:00'))).toEqual(['INTRO 1', 'MAIN_CONTENT 1', 'SUMMARY 1']); // .c
  for (let version = 3; version <= 11; version += 1) await write('MAIN_CONTENT', version, 'Tom', '11:00:00');
  expect(await latest()).toEqual([11]); // .e
});
