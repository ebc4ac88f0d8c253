import { connect } from '@singlet/model';
import { expect, test } from 'vitest';
import { openExample } from '../testing/example-database.ts';
import { contacts, largeDocuments, partsOf } from './documents.ts';

test('S-83 a member added twice exists once; a change of one phone number keeps the others', async () => {
  const { client, operations, stored } = await openExample(contacts);
  const db = connect(contacts, { client });
  await db.create({ contact: 'alex' });
  expect(await stored('Contacts')).toEqual([expect.objectContaining({ phoneNumbers: {} })]);
  operations();
  for (let n = 0; n < 2; n += 1) await db.addAdmin({ contact: 'alex', admin: 'jeff' });
  await db.setPhone({ contact: 'alex', kind: 'HomeNumber', phone: '555-1' });
  await db.setPhone({ contact: 'alex', kind: 'MobileNumber', phone: '555-2' });
  expect(new Set(operations())).toEqual(new Set(['UpdateItem']));
  expect(await db.contact({ contact: 'alex' })).toEqual({
    contact: 'alex',
    admins: new Set(['jeff']),
    phoneNumbers: { HomeNumber: '555-1', MobileNumber: '555-2' },
  });
});

test('S-84 a document of a megabyte is stored in several items and read back whole', async () => {
  const { client } = await openExample(largeDocuments);
  const db = connect(largeDocuments, { client });
  const text = 'Für Elise. '.repeat(95_000);
  expect(Buffer.byteLength(text)).toBeGreaterThan(1024 * 1024);
  const parts = partsOf(text).map((part, at) => ({ document: 'd1', number: at + 1, text: part }));
  expect(parts.length).toBe(4);
  await db.save(parts.toReversed());
  const read: string[] = [];
  for await (const part of db.parts.each({ document: 'd1' })) read.push(part.text);
  expect(read.join('') === text).toBe(true);
});
