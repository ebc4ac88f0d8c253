import { connect, encoderNamed, ksuid, ksuidTime } from '@singlet/model';
import { check } from '@singlet/model/check';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeKsuid, encodeKsuid, inspectKsuid } from '../ksuid.ts';
import { openExample } from '../testing/example-database.ts';
import { isNearlyFull, numbered, phoneBook, recentTickets, sensors, teams } from './sorting.ts';

const bytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const errorsOf = (model: Parameters<typeof check>[0]): readonly string[] =>
  check(model).findings.flatMap(({ level, code }) => (level === 'error' ? [code] : []));

test('S-48 an order that the sort key does not begin with is refused', () => {
  const withOrder = (order: 'updatedAt desc' | 'ticketId asc') => ({
    ...recentTickets,
    patterns: { ...recentTickets.patterns, recent: { ...recentTickets.patterns.recent, order } },
  });
  expect(errorsOf(withOrder('updatedAt desc'))).toEqual([]);
  expect(errorsOf(withOrder('ticketId asc'))).toContain('order-not-served');
});

test('S-49 raw text sorts by bytes; the key in capitals sorts as people do', async () => {
  const { client } = await openExample(phoneBook);
  const db = connect(phoneBook, { client });
  for (const name of ['Dern', 'DeBrie', 'Dean']) await db.add({ book: 'OMAHA', name });
  expect((await db.people({ book: 'OMAHA' })).items.map(({ name }) => name)).toEqual(['Dean', 'DeBrie', 'Dern']);

  const raw = { ...phoneBook, keys: { Person: { People: ['BOOK#{book}', 'NAME#{name}'] } } } as const;
  const other = await openExample(raw);
  const rawDb = connect(raw, { client: other.client });
  for (const name of ['Dern', 'DeBrie', 'Dean', '#', '0', 'A', '_', 'a', '|'].filter((each) => each !== '#')) {
    await rawDb.add({ book: 'OMAHA', name });
  }
  const names = (await rawDb.people({ book: 'OMAHA' })).items.map(({ name }) => name);
  expect(names.filter((name) => name.length > 1)).toEqual(['DeBrie', 'Dean', 'Dern']);
  expect(names.filter((name) => name.length === 1)).toEqual(['0', 'A', '_', 'a', '|']);
  expect(['|', 'a', '_', 'A', '0', '#'].sort(bytes)).toEqual(['#', '0', 'A', '_', 'a', '|']);
  expect(check(raw).findings.map(({ code }) => code)).toContain('mixed-case');
});

test('S-50 instants sort by time, as text and as numbers; display formats are refused', async () => {
  const iso = encoderNamed('utc');
  const instant = fc.integer({ min: 0, max: 4_102_444_800_000 });
  fc.assert(
    fc.property(instant, instant, (a, b) => {
      const texts = [a, b].map((each) => String(iso?.encode(new Date(each).toISOString())));
      expect(Math.sign(bytes(texts[0]!, texts[1]!))).toBe(Math.sign(a - b));
    }),
  );
  const { client } = await openExample(recentTickets);
  const db = connect(recentTickets, { client });
  await expect(db.open({ organization: 'Amazon', ticketId: '1', updatedAt: 'May 26, 1988' })).rejects.toMatchObject({
    path: 'Ticket.updatedAt',
  });
  expect(() => iso?.encode('May 26, 1988')).toThrow('is not an ISO-8601 time');
});

test('S-51 KSUIDs sort by creation; a known one, the least and the greatest are decoded', () => {
  const known = '1YnlHOfSSk3DhX4BR6lMAceAo1V';
  expect(inspectKsuid(known)).toEqual({
    text: known,
    rawHex: '0AF14D665D6068ACBE766CF717E210D69C94D115',
    time: new Date('2020-03-07T13:02:30Z'),
    timestampSeconds: 183_586_150,
    payloadHex: '5D6068ACBE766CF717E210D69C94D115',
  });
  expect(encodeKsuid(decodeKsuid(known))).toBe(known);
  expect(ksuidTime(known)).toBe(Date.parse('2020-03-07T13:02:30Z'));
  const least = { epochSeconds: 1_400_000_000, payload: new Uint8Array(16) };
  const greatest = { epochSeconds: 1_400_000_000 + 2 ** 32 - 1, payload: new Uint8Array(16).fill(255) };
  expect(encodeKsuid(least)).toBe('0'.repeat(27));
  expect(encodeKsuid(greatest)).toBe('aWgEPTl1tmebfsQzFP4bxwgy80V');
  const ids = Array.from({ length: 10_000 }, (_, second) => ksuid({ at: Date.UTC(2020, 0, 1) + second * 1000 }));
  expect(ids.toSorted(bytes)).toEqual(ids);
});

test('S-52 one UpdateItem moves the ticket to the top of the recently updated ones', async () => {
  const { client, operations, stored } = await openExample(recentTickets);
  const db = connect(recentTickets, { client });
  for (const [organization, ticketId, updatedAt] of [
    ['Amazon', '1340', '2020-01-07T06:18:24Z'],
    ['Amazon', '1381', '2020-01-10T02:09:14Z'],
    ['Amazon', '2248', '2020-01-18T16:47:32Z'],
    ['Trek10', '841', '2020-01-01T15:28:20Z'],
    ['Trek10', '144', '2020-01-23T03:08:25Z'],
  ] as const) {
    await db.open({ organization, ticketId, updatedAt });
  }
  const recent = async () => (await db.recent({ organization: 'Amazon' })).items.map(({ ticketId }) => ticketId);
  expect(await recent()).toEqual(['2248', '1381', '1340']);
  const keys = async () => (await stored('Tickets')).map(({ PK, SK }) => `${String(PK)} ${String(SK)}`).sort();
  const before = await keys();
  operations();
  await db.touch({ organization: 'Amazon', ticketId: '1340', updatedAt: '2020-02-01T00:00:00Z' });
  expect(operations()).toEqual(['UpdateItem']);
  expect(await recent()).toEqual(['1340', '2248', '1381']);
  expect(await keys()).toEqual(before);

  const inPrimaryKey = { Tickets: ['ORG#{organization}', 'TICKET#{updatedAt:seconds}#{ticketId}'] } as const;
  const flawed = {
    ...recentTickets,
    keys: { Ticket: { ...recentTickets.keys['Ticket'], ...inPrimaryKey } },
    patterns: {
      ...recentTickets.patterns,
      touch: { updates: 'Ticket', by: ['organization', 'ticketId', 'updatedAt'], sets: ['updatedAt'] },
    },
  } as const;
  expect(errorsOf(flawed)).toContain('changing-key');
});

const readingsOfMarch = [32.1, 32.2, 32.2, 32.4, 32.4].map((celsius, n) => ({
  device: '123',
  at: `2020-03-14T10:${33 + n}:00Z`,
  celsius,
}));

test('S-53 the device is read with its newest readings; without a prefix they would be the oldest', async () => {
  const { client, lastItems } = await openExample(sensors);
  const db = connect(sensors, { client });
  await db.install({ device: '123', location: 'Omaha, NE' });
  await db.record(readingsOfMarch);
  const times = () =>
    lastItems()
      .slice(0, 3)
      .map(({ at, Type }) => (typeof at === 'string' ? at.slice(11, 16) : Type));
  await db.deviceWithReadings({ device: '123' }, { limit: 2 });
  expect(times()).toEqual(['Device', '10:37', '10:36']);

  const unprefixed = {
    ...sensors,
    keys: { ...sensors.keys, Reading: { Sensors: ['DEVICE#{device}', 'READING#{at:seconds}'] } },
    patterns: {
      ...sensors.patterns,
      deviceWithReadings: { ...sensors.patterns.deviceWithReadings, order: 'at asc' },
    },
  } as const;
  const other = await openExample(unprefixed);
  const oldest = connect(unprefixed, { client: other.client });
  await oldest.install({ device: '123', location: 'Omaha, NE' });
  await oldest.record(readingsOfMarch);
  await oldest.deviceWithReadings({ device: '123' }, { limit: 2 });
  expect(
    other
      .lastItems()
      .slice(0, 3)
      .map(({ SK }) => SK),
  ).toEqual(['DEVICE#123', 'READING#2020-03-14T10:33:00Z', 'READING#2020-03-14T10:34:00Z']);
  // Newest first with these keys begins at the wrong end.
  expect(errorsOf({ ...unprefixed, patterns: sensors.patterns })).toContain('parent-at-wrong-end');
});

test('S-54 two relationships around one parent are read without an index', async () => {
  const { client, requests } = await openExample(teams);
  const db = connect(teams, { client });
  const organization = 'MCDONALDS';
  await db.found({ organization });
  for (const team of ['FANSOFISH', 'TEAMBURGER']) await db.form({ organization, team });
  for (const user of ['HAMBURGLAR', 'RONALD']) await db.join({ organization, user });
  requests();
  const withTeams = await db.withTeams({ organization });
  expect([withTeams.organization, withTeams.teams.map(({ team }) => team)]).toEqual([
    { organization },
    ['TEAMBURGER', 'FANSOFISH'],
  ]);
  const withUsers = await db.withUsers({ organization });
  expect([withUsers.organization, withUsers.users.map(({ user }) => user)]).toEqual([
    { organization },
    ['HAMBURGLAR', 'RONALD'],
  ]);
  expect(requests().map(({ input }) => input['IndexName'])).toEqual([undefined, undefined]);
});

test('S-55 padded numbers sort as numbers; six digits do not fit; a warning comes in time', async () => {
  expect(['1', '2', '10'].sort(bytes)).toEqual(['1', '10', '2']);
  const { client } = await openExample(numbered);
  const db = connect(numbered, { client });
  await db.install({ device: '123' });
  for (const issue of [1, 2, 10]) await db.report({ device: '123', issue });
  expect((await db.withIssues({ device: '123' })).issues.map(({ issue }) => issue)).toEqual([10, 2, 1]);
  await expect(db.report({ device: '123', issue: 100_000 })).rejects.toThrow(
    'is not a whole number that fits 5 digits',
  );
  expect([isNearlyFull(29_999, 5), isNearlyFull(30_000, 5)]).toEqual([false, true]);

  const unpadded = { Devices: ['DEVICE#{device}', '#ISSUE#{issue}'] } as const;
  expect(errorsOf({ ...numbered, keys: { ...numbered.keys, Issue: unpadded } })).toContain('unpadded-number');
});

test('S-56 both numbered relationships are read newest first from one collection', async () => {
  const { client, lastItems } = await openExample(numbered);
  const db = connect(numbered, { client });
  await db.install({ device: '123' });
  for (const n of [1, 2, 10]) {
    await db.report({ device: '123', issue: n });
    await db.record({ device: '123', number: n });
  }
  await db.withReadings({ device: '123' });
  expect(lastItems().map(({ SK }) => SK)).toEqual(['DEVICE#123', 'READING#99989', 'READING#99997', 'READING#99998']);
  expect((await db.withIssues({ device: '123' })).issues.map(({ issue }) => issue)).toEqual([10, 2, 1]);
  const inverse = encoderNamed('inverse5');
  for (let n = 0; n <= 99_999; n += 1) {
    const text = String(inverse?.encode(n));
    if (text.length !== 5 || inverse?.decode?.(text) !== n) expect.fail(`${n} became ${text}`);
  }
});

test('S-85 the newest 20 readings of a day take 20 read items', async () => {
  const { client, requests } = await openExample(sensors);
  const db = connect(sensors, { client });
  const day = Array.from({ length: 1440 }, (_, minute) => ({
    device: 'd1',
    at: new Date(Date.UTC(2020, 2, 14, 0, minute)).toISOString().replace('.000', ''),
    celsius: 30,
  }));
  await db.record(day);
  requests();
  const { items } = await db.latest({ device: 'd1' });
  expect(items.map(({ at }) => at)).toEqual(
    day
      .slice(-20)
      .toReversed()
      .map(({ at }) => at),
  );
  expect(requests().map(({ output }) => output?.['ScannedCount'])).toEqual([20]);

  const ascending = {
    ...sensors,
    patterns: { ...sensors.patterns, latest: { ...sensors.patterns.latest, order: 'at asc', limit: 2000 } },
  } as const;
  await connect(ascending, { client }).latest({ device: 'd1' });
  expect(requests().reduce((sum, { output }) => sum + Number(output?.['ScannedCount']), 0)).toBe(1440);
});
