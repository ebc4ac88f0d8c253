import { expect, test } from 'vitest';
import { z } from 'zod';
import { connect, entity, model } from '../src/index.ts';
import { scanAll } from '../src/maintenance/index.ts';
import { testDatabase } from './test-database.ts';

const readings = model('readings')
  .entities({
    Reading: entity({ sensor: z.string(), value: z.number(), path: z.string(), tags: z.set(z.string()).optional() }),
    Total: entity({ value: z.number(), sum: z.number() }, { copies: 2 }),
  })
  .relationships([])
  .patterns({
    put: { puts: 'Reading' },
    several: { reads: 'Reading', by: ['sensor', 'value'], each: true },
    values: { reads: ['Reading'], by: ['sensor'], range: 'value', order: 'value asc', limit: 2 },
    count: { reads: ['Reading'], by: ['sensor'], range: 'value', count: true, volume: { typical: 3, most: 9 } },
    tagged: { reads: ['Reading'], by: ['sensor'], filters: ['tags'], limit: 1 },
    paths: { reads: ['Reading'], by: ['sensor'], range: 'path', order: 'path asc', limit: 2 },
    folded: { reads: ['Reading'], by: ['sensor'], range: 'path', limit: 2 },
    all: { reads: ['Reading'], consistent: true },
    both: {
      transacts: {
        change: { updates: 'Reading', by: ['sensor', 'value'], sets: ['path'] },
        look: { checks: 'Reading', by: ['sensor', 'value'] },
      },
    },
    putTotal: { puts: 'Total' },
  })
  .tables({
    Readings: { key: ['PK', 'value:N'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'], GSI2: ['GSI2PK', 'GSI2SK'] } },
    Totals: { key: ['value:N', 'copy:N'] },
  })
  .keys({
    Reading: {
      Readings: ['READING#{sensor}', '{value}'],
      GSI1: ['READING#{sensor}', 'PATH#{path}'],
      GSI2: ['READING#{sensor}', 'PATH#{path:lower}'],
    },
    Total: { Totals: ['{value}', '{copy}'] },
  })
  .served({
    put: 'PutItem',
    several: 'BatchGetItem',
    values: { query: 'Readings' },
    count: { query: 'Readings' },
    tagged: { query: 'Readings', readAhead: 2 },
    paths: { query: 'GSI1' },
    folded: { query: 'GSI2' },
    all: { scan: 'Readings', because: 'there are few' },
    both: 'TransactWriteItems',
    putTotal: 'TransactWriteItems',
  });

const sensor = 's';

test('a number in a key is found however the service writes it', async () => {
  await using database = await testDatabase(readings);
  const db = connect(readings, { client: database.client });
  const wide = [1e21, 1e-7, 1e-130, 9e125, -1e21, 0, 2.5];
  for (const value of wide) await db.put({ sensor, value, path: 'p' });
  const found = await db.several([...wide, 404, ...wide].map((value) => ({ sensor, value })));
  // Whole numbers beyond 2^53 become bigint.
  const numbers = found.map((item): unknown => item?.value).map((value) => value && Number(value));
  expect(numbers).toEqual([...wide, undefined, ...wide]);
  // The same number as two types is one key.
  const huge = (10n ** 21n) as never;
  await db.several([
    { sensor, value: huge },
    { sensor, value: 1e21 },
  ]);
  await db.both({ change: { sensor, value: huge, path: 'q' }, look: { sensor, value: 1e21 } });
  expect(await db.several([{ sensor, value: 1e21 }])).toMatchObject([{ path: 'q' }]);
  for (const value of wide) await db.putTotal({ value, sum: 1 });
  const { items } = await scanAll(readings, 'Total', { client: database.client, because: 'a test' }, () => undefined);
  expect(items).toBe(wide.length);
});

test('a whole item may be the input of what does not store it whole', async () => {
  await using database = await testDatabase(readings);
  const db = connect(readings, { client: database.client });
  const reading = await db.put({ sensor, value: 1, path: 'p' });
  const more = { ...reading, from: 'elsewhere' };
  await expect(db.put(more)).rejects.toMatchObject({ name: 'InputError', code: 'unknown-attribute' });
  expect(await db.several([more])).toEqual([reading]);
  expect((await db.tagged(more)).items).toEqual([reading]);
  await db.both({ change: { ...more, path: 'q' }, look: more });
  expect(await db.several([more])).toEqual([{ ...reading, path: 'q' }]);
});

test('a range may end where no number is stored', async () => {
  await using database = await testDatabase(readings);
  const db = connect(readings, { client: database.client });
  const stored = [-5, -1e-7, 0, 5];
  for (const value of stored) await db.put({ sensor, value, path: 'p' });
  const ends = [0, 5, Infinity, -Infinity, -1e200, Number.MAX_VALUE, Number.MIN_VALUE, -Number.MIN_VALUE];
  for (const low of ends)
    for (const high of ends)
      for (const [from, to] of [
        ['from', 'to'],
        ['after', 'before'],
      ] as const) {
        const value = { [from]: low, [to]: high };
        const wanted = stored.filter(
          (each) => (from === 'from' ? each >= low : each > low) && (to === 'to' ? each <= high : each < high),
        );
        const found: number[] = [];
        for await (const item of db.values.each({ sensor, value })) found.push(item.value);
        expect(found, JSON.stringify([from, low, to, high])).toEqual(wanted);
        expect(await db.count({ sensor, value })).toBe(wanted.length);
      }
});

test('the prefix of a range and its ends hold together', async () => {
  await using database = await testDatabase(readings);
  const db = connect(readings, { client: database.client });
  const paths = ['A', 'a', 'ab', 'ab/', 'ab/c', 'ab0', 'b', 'ac'];
  for (const [value, path] of paths.entries()) await db.put({ sensor, value, path });
  const texts = ['a', 'ab', 'ab/', 'abc', 'b'];
  for (const begins of ['a', 'ab', 'ab/', 'b'])
    for (const end of texts)
      for (const other of texts) {
        for (const path of [
          { begins, from: end, to: other },
          { begins, after: end, before: other },
        ]) {
          const { from, to, after, before } = path as Record<string, string | undefined>;
          const isWithin = (each: string, fold: (text: string) => string): boolean =>
            each.startsWith(begins) &&
            (from === undefined || fold(each) >= fold(from)) &&
            (to === undefined || fold(each) <= fold(to)) &&
            (after === undefined || fold(each) > fold(after)) &&
            (before === undefined || fold(each) < fold(before));
          const found: string[] = [];
          for await (const item of db.paths.each({ sensor, path })) found.push(item.path);
          expect(found, JSON.stringify(path)).toEqual(paths.filter((each) => isWithin(each, (text) => text)).sort());
        }
      }
});

test('a range of another form is refused', async () => {
  await using database = await testDatabase(readings);
  const db = connect(readings, { client: database.client });
  await db.put({ sensor, value: 1, path: 'p' });
  for (const value of [3, null, '3', { form: 3 }, [3], { from: 1, until: 3 }])
    await expect(db.values({ sensor, value: value as never })).rejects.toMatchObject({ code: 'not-an-interval' });
  const open = await db.values({ sensor, value: { from: undefined, begins: null } as never });
  expect(open.items).toHaveLength(1);
});

test('a scan is consistent, and refuses a limit that is none', async () => {
  await using database = await testDatabase(readings);
  const db = connect(readings, { client: database.client });
  await db.put({ sensor, value: 1, path: 'p' });
  expect((await db.all({}, { limit: 1 })).items).toHaveLength(1);
  expect(db.all.request({})).toMatchObject([{ input: { ConsistentRead: true } }]);
  expect(db.all.request({}, { consistent: false })[0]?.input).not.toHaveProperty('ConsistentRead');
  for (const limit of [0, 1.5, Number.NaN, Infinity])
    await expect(db.all({}, { limit })).rejects.toMatchObject({ code: 'bad-limit' });
});

test('what is no cursor, no cursor of the input, and no list of inputs is refused', async () => {
  await using database = await testDatabase(readings);
  const db = connect(readings, { client: database.client });
  for (const value of [1, 2, 3, 4])
    await db.put({ sensor, value, path: 'p', tags: new Set([value > 2 ? 'late' : 'early', 'x']) });
  const { cursor } = await db.tagged({ sensor, tags: new Set(['early', 'x']) });
  expect(await db.tagged({ sensor, tags: new Set(['x', 'early']) }, { cursor })).toMatchObject({
    items: [{ value: 2 }],
  });
  for (const tags of [new Set(['late', 'x']), new Set(['early']), undefined])
    await expect(db.tagged({ sensor, tags }, { cursor })).rejects.toMatchObject({ code: 'bad-cursor' });
  for (const given of [null, 5, {}, '', `${cursor}A`, cursor?.slice(1)])
    await expect(db.tagged({ sensor }, { cursor: given as never })).rejects.toMatchObject({ code: 'bad-cursor' });
  for (const inputs of [{ sensor, value: 1 }, undefined, new Set()])
    await expect(db.several(inputs as never)).rejects.toMatchObject({ code: 'not-a-list' });
});

const events = model('events')
  .entities({ Event: entity({ feed: z.string(), isDone: z.boolean(), at: z.number(), id: z.string() }) })
  .relationships([])
  .patterns({
    put: { puts: 'Event' },
    latest: { reads: ['Event'], by: ['feed'], range: 'at', order: 'at desc', limit: 2 },
    done: { reads: ['Event'], by: ['feed'], range: 'isDone', order: 'isDone asc', limit: 2 },
  })
  .tables({ Events: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Event: {
      Events: ['FEED#{feed}', 'AT#{at:epoch:inverseTime}#{id}'],
      GSI1: ['FEED#{feed}', 'DONE#{isDone}#{id}'],
    },
  })
  .served({ put: 'PutItem', latest: { query: 'Events' }, done: { query: 'GSI1' } });

test('a range of booleans and one of seconds may have ends of any kind', async () => {
  await using database = await testDatabase(events);
  const db = connect(events, { client: database.client });
  const times = [0, 0.001, 1, 1_700_000_000, 1_700_000_000.5];
  for (const [i, at] of times.entries()) await db.put({ feed: 'f', isDone: i % 2 === 0, at, id: `${i}` });
  const ends = [0, 0.0005, 1e-9, 0.5, 1_700_000_000.25, 1_700_000_000.123_456_7, 1_800_000_000.001, -1, Infinity];
  for (const end of ends)
    for (const [at, isWithin] of [
      [{ from: end }, (each: number) => each >= end],
      [{ after: end }, (each: number) => each > end],
      [{ to: end }, (each: number) => each <= end],
      [{ before: end }, (each: number) => each < end],
    ] as const) {
      const found: number[] = [];
      for await (const event of db.latest.each({ feed: 'f', at })) found.push(event.at);
      expect(found, JSON.stringify(at)).toEqual(times.filter(isWithin).toReversed());
    }
  for (const [isDone, wanted] of [
    [{ after: false, to: true }, [true, true, true]],
    [{ from: false, before: true }, [false, false]],
    [{ after: false, before: true }, []],
    [{ from: true, to: false }, []],
  ] as const) {
    const found: boolean[] = [];
    for await (const event of db.done.each({ feed: 'f', isDone })) found.push(event.isDone);
    expect(found, JSON.stringify(isDone)).toEqual(wanted);
  }
});

const seats = model('seats')
  .entities({ Seat: entity({ hall: z.string(), seat: z.int().min(10).max(99), side: z.string() }) })
  .relationships([])
  .patterns({
    put: { puts: 'Seat' },
    between: { reads: ['Seat'], by: ['hall'], range: 'seat', order: 'seat asc', limit: 2 },
  })
  .tables({ Seats: { key: ['PK', 'SK'] } })
  .keys({ Seat: { Seats: ['HALL#{hall}', 'SEAT#{seat}#{side}'] } })
  .served({ put: 'PutItem', between: { query: 'Seats' } });

test('a range of whole numbers of one width may end at any number', async () => {
  await using database = await testDatabase(seats);
  const db = connect(seats, { client: database.client });
  const numbers = [10, 11, 50, 98, 99];
  for (const seat of numbers) await db.put({ hall: 'h', seat, side: 'l' });
  for (const low of [-1, 0, 5, 9.5, 10, 10.5, 100, 1e6])
    for (const high of [5, 11, 11.5, 98.5, 99, 100, 1000, Infinity])
      for (const [seat, isWithin] of [
        [{ from: low, to: high }, (each: number) => each >= low && each <= high],
        [{ after: low, before: high }, (each: number) => each > low && each < high],
      ] as const) {
        const found: number[] = [];
        for await (const item of db.between.each({ hall: 'h', seat })) found.push(item.seat);
        expect(found, JSON.stringify(seat)).toEqual(numbers.filter(isWithin));
      }
});

/** Days of a log, served in one of several ways. */
function log(key: string, order: 'day asc' | 'day desc', served: object) {
  return model('log')
    .entities({ Line: entity({ host: z.string(), day: z.iso.date() }) })
    .relationships([])
    .patterns({
      write: { puts: 'Line' },
      lines: { reads: ['Line'], by: ['host'], order, limit: 2 },
    })
    .tables({ Lines: { key: ['PK', 'SK'] } })
    .keys({ Line: { Lines: [key, 'DAY#{day}'] } })
    .served({ write: 'PutItem', lines: { query: 'Lines', ...served } });
}

test('a cursor of another version of the model is refused if its position would mean something else', async () => {
  const before = log('LINE#{host}#{day:shard4}', 'day asc', { fanOut: 4 });
  await using database = await testDatabase(before);
  const db = connect(before, { client: database.client });
  for (const day of ['01', '02', '03', '04', '05']) await db.write({ host: 'h', day: `2024-03-${day}` });
  const { cursor } = await db.lines({ host: 'h' });
  expect((await db.lines({ host: 'h' }, { cursor })).items).toHaveLength(2);
  const versions = [
    log('LINE#{host}#{day:shard8}', 'day asc', { fanOut: 8 }),
    log('LINE#{host}#{day:shard4}', 'day desc', { fanOut: 4 }),
    log('LINE#{host}', 'day asc', {}),
  ];
  for (const version of versions)
    await expect(connect(version, { client: database.client }).lines({ host: 'h' }, { cursor })).rejects.toMatchObject({
      code: 'bad-cursor',
    });
  // The same version elsewhere accepts it.
  const other = connect(log('LINE#{host}#{day:shard4}', 'day asc', { fanOut: 4 }), { client: database.newClient() });
  expect((await other.lines({ host: 'h' }, { cursor })).items).toHaveLength(2);
});
