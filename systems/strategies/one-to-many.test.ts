import { connect } from '@singlet/model';
import { check } from '@singlet/model/check';
import { expect, test } from 'vitest';
import { errorOf, openExample } from '../testing/example-database.ts';
import { customersWithAddresses, library, organizations, shopLocations } from './one-to-many.ts';

test('S-27 addresses come with the customer, and the 21st is refused', async () => {
  const { client, operations } = await openExample(customersWithAddresses);
  const db = connect(customersWithAddresses, { client });
  const home = { street: '1122 1st Avenue', postalCode: '90210', country: 'UnitedStates' };
  const business = { street: '555 Broadway', postalCode: '90211', country: 'UnitedStates' };
  await db.signUp({ username: 'alexdebrie', firstName: 'Alex', lastName: 'DeBrie', addresses: { Home: home } });
  await db.setAddress({ username: 'alexdebrie', label: 'Business', address: business });
  operations();
  expect((await db.customer({ username: 'alexdebrie' }))?.addresses).toEqual({ Home: home, Business: business });
  expect(operations()).toEqual(['GetItem']);

  for (let n = 3; n <= 20; n += 1) await db.setAddress({ username: 'alexdebrie', label: `No${n}`, address: home });
  const refused = await errorOf(db.setAddress({ username: 'alexdebrie', label: 'No21', address: home }));
  expect(refused).toMatchObject({ code: 'condition-failed' });
  await db.setAddress({ username: 'alexdebrie', label: 'Home', address: business });

  // A pattern that searches the document causes a finding: it reads everything and discards most of it.
  const byPostalCode = { reads: ['Customer'], where: { 'addresses.Home.postalCode': '90210' } } as const;
  const { findings } = check({
    ...customersWithAddresses,
    patterns: { ...customersWithAddresses.patterns, byPostalCode },
    served: { ...customersWithAddresses.served, byPostalCode: { query: 'Customers' } },
  });
  expect(findings.filter(({ level }) => level === 'error').map(({ code, path }) => [code, path])).toContainEqual([
    'not-served',
    'served.byPostalCode',
  ]);
});

test('S-28 a book has its author’s birthdate, and a correction rewrites each copy', async () => {
  const { client, operations } = await openExample(library);
  const db = connect(library, { client });
  await db.add({ author: 'Stephen King', title: 'It', releasedIn: 1986, authorBirthdate: '1947-09-21' });
  await db.add({ author: 'Stephen King', title: 'The Shining', releasedIn: 1977, authorBirthdate: '1947-09-21' });
  await db.add({
    author: 'J.K. Rowling',
    title: "Harry Potter and the Sorcerer's Stone",
    releasedIn: 1997,
    authorBirthdate: '1965-07-31',
  });
  operations();
  expect(await db.book({ author: 'Stephen King', title: 'It' })).toMatchObject({ authorBirthdate: '1947-09-21' });
  expect(operations()).toEqual(['GetItem']);

  for (const { author, title } of (await db.booksOf({ author: 'Stephen King' })).items) {
    await db.correctBirthdate({ author, title, authorBirthdate: '1947-09-22' });
  }
  expect(operations()).toEqual(['Query', 'UpdateItem', 'UpdateItem']);
  expect((await db.booksOf({ author: 'Stephen King' })).items.map((book) => book.authorBirthdate)).toEqual([
    '1947-09-22',
    '1947-09-22',
  ]);
});

const openOrganizations = async () => {
  const example = await openExample(organizations);
  const db = connect(organizations, { client: example.client });
  await db.found({ organization: 'MICROSOFT', plan: 'Enterprise' });
  await db.join({ organization: 'MICROSOFT', username: 'BILLGATES', role: 'Member' });
  await db.join({ organization: 'MICROSOFT', username: 'SATYANADELLA', role: 'Admin' });
  await db.found({ organization: 'AMAZON', plan: 'Pro' });
  await db.join({ organization: 'AMAZON', username: 'JEFFBEZOS', role: 'Admin' });
  for (const ticketId of ['1569468714-JM14', '1570952398-MQR0']) {
    await db.openTicket({ ticketId, organization: 'MICROSOFT', username: 'BILLGATES' });
  }
  return { ...example, db };
};

test('S-29 an organization, the organization with its users, only the users, and one user are each one request', async () => {
  const { db, lastItems } = await openOrganizations();
  expect(await db.organization({ organization: 'MICROSOFT' })).toEqual({
    organization: 'MICROSOFT',
    plan: 'Enterprise',
  });
  await db.organizationWithUsers({ organization: 'MICROSOFT' });
  expect(lastItems().map(({ SK }) => SK)).toEqual(['METADATA#MICROSOFT', 'USER#BILLGATES', 'USER#SATYANADELLA']);
  expect((await db.users({ organization: 'MICROSOFT' })).items).toHaveLength(2);
  expect(await db.user({ organization: 'MICROSOFT', username: 'BILLGATES' })).toMatchObject({ role: 'Member' });
  await db.organizationWithUsers({ organization: 'AMAZON' });
  expect(lastItems()).toHaveLength(2);
});

test('S-30 a user is read with the newest tickets, and the tickets are not among the users', async () => {
  const { db, lastItems, stored } = await openOrganizations();
  const billGates = { organization: 'MICROSOFT', username: 'BILLGATES' };
  await db.userWithTickets(billGates);
  expect(lastItems().map(({ GSI1SK }) => GSI1SK)).toEqual([
    'USER#BILLGATES',
    'TICKET#1570952398-MQR0',
    'TICKET#1569468714-JM14',
  ]);
  const { user, tickets } = await db.userWithTickets(billGates, { limit: 1 });
  expect([user?.username, tickets.map(({ ticketId }) => ticketId)]).toEqual(['BILLGATES', ['1570952398-MQR0']]);
  expect(await db.ticket({ ticketId: '1569468714-JM14' })).toMatchObject(billGates);
  await db.organizationWithUsers({ organization: 'MICROSOFT' });
  expect(lastItems().map(({ Type }) => Type)).toEqual(['Organization', 'User', 'User']);
  expect((await stored('Saas', 'GSI1')).map(({ Type }) => Type)).not.toContain('Organization');
});

test('S-31 each level of a hierarchy is read, without places of the same name elsewhere', async () => {
  const { client } = await openExample(shopLocations);
  const db = connect(shopLocations, { client });
  const shop = (country: string, state: string, city: string, zip: string, shopId: string, squareFeet: number) =>
    db.open({ country, state, city, zip, shopId, squareFeet });
  await shop('USA', 'NE', 'OMAHA', '68118', 'S1', 921);
  await shop('USA', 'NY', 'NEWYORKCITY', '10001', 'S2', 1211);
  await shop('USA', 'NY', 'NEWYORKCITY', '10019', 'S3', 1924);
  await shop('FRANCE', 'ILE-DE-FRANCE', 'PARIS', '75001', 'S4', 2102);
  expect((await db.inCountry({ country: 'USA' })).items).toHaveLength(3);
  expect((await db.inState({ country: 'USA', state: 'NY' })).items).toHaveLength(2);
  const omaha = { country: 'USA', state: 'NE', city: 'OMAHA' };
  expect((await db.inCity(omaha)).items).toHaveLength(1);
  await shop('USA', 'NE', 'OMAHAHEIGHTS', '68000', 'S5', 700);
  expect((await db.inCity(omaha)).items).toHaveLength(1);
  const zip = { country: 'USA', state: 'NY', city: 'NEWYORKCITY', zip: '10019' };
  expect((await db.inZip(zip)).items).toHaveLength(1);
  await shop('USA', 'NY', 'NEWYORKCITY', '10019', 'S6', 800);
  expect((await db.inZip(zip)).items.map(({ shopId }) => shopId)).toEqual(['S3', 'S6']);
});
