import { entity, model, ref } from '@singlet/model';
import { z } from 'zod';

const address = z.object({ street: z.string(), postalCode: z.string(), country: z.string() });
const name = z.string().regex(/^[A-Z]+$/);

/**
 * S-27 A complex attribute on the parent: few children, of a bounded number, that are never searched by their own values.
 */
export const customersWithAddresses = model('customers')
  .entities({
    Customer: entity({
      username: z.string().regex(/^[a-z]+$/),
      firstName: z.string(),
      lastName: z.string(),
      addresses: z.record(z.string(), address).default({}),
    }),
  })
  .relationships([])
  .patterns({
    signUp: { creates: 'Customer' },
    customer: { reads: 'Customer', by: ['username'], strategy: 'S-27' },
    // An existing label may get another address even when there are 20.
    setAddress: {
      updates: 'Customer',
      by: ['username'],
      takes: { label: z.string(), address },
      changes: { 'addresses.{label}': ref('address') },
      given: { any: [{ addresses: { size: { below: 20 } } }, { 'addresses.{label}': { exists: true } }] },
    },
  })
  .tables({ Customers: { key: ['PK', 'SK'] } })
  .keys({ Customer: { Customers: ['CUSTOMER#{username}', 'CUSTOMER#{username}'] } })
  .served({ signUp: 'PutItem', customer: 'GetItem', setAddress: 'UpdateItem' });

/**
 * S-28 Parent data duplicated on the children: read often, changed rarely or never, and in few copies. The writer of the
 * change rewrites the copies, which the pattern `booksOf` finds.
 */
export const library = model('library')
  .entities({
    Book: entity({
      author: z.string().min(1),
      title: z.string().min(1),
      releasedIn: z.number().int(),
      authorBirthdate: z.iso.date(),
    }),
  })
  .relationships([])
  .patterns({
    add: { creates: 'Book' },
    book: { reads: 'Book', by: ['author', 'title'], strategy: 'S-28' },
    booksOf: { reads: ['Book'], by: ['author'], volume: { typical: 5, most: 100 } },
    correctBirthdate: { updates: 'Book', by: ['author', 'title'], sets: ['authorBirthdate'] },
  })
  .tables({ Books: { key: ['author', 'title'] } })
  .keys(
    { Book: { Books: ['{author}', '{title}'] } },
    { Book: { accepts: { 'mixed-case': 'titles are proper names, always written in one way' } } },
  )
  .served({ add: 'PutItem', book: 'GetItem', booksOf: { query: 'Books' }, correctBirthdate: 'UpdateItem' });

/**
 * S-29 The primary key and Query: parent and children share the partition key. The usual way.
 * S-30 An index and Query: the next level has its own collection, since in the first one it would be between users.
 */
export const organizations = model('organizations')
  .entities({
    Organization: entity({ organization: name, plan: z.string() }),
    User: entity({ organization: name, username: name, role: z.enum(['Admin', 'Member']) }),
    Ticket: entity({ ticketId: z.string().regex(/^\d{10}-\w+$/), organization: name, username: name }),
  })
  .relationships([
    ['Organization', '1:N', 'User'],
    ['User', '1:N', 'Ticket'],
  ])
  .patterns({
    found: { creates: 'Organization' },
    join: { creates: 'User' },
    openTicket: { creates: 'Ticket' },
    organization: { reads: 'Organization', by: ['organization'], strategy: 'S-29' },
    organizationWithUsers: {
      reads: { organization: 'Organization', users: ['User'] },
      by: ['organization'],
      limit: 50,
      strategy: 'S-29',
    },
    users: { reads: ['User'], by: ['organization'], limit: 50, strategy: 'S-29' },
    user: { reads: 'User', by: ['organization', 'username'], strategy: 'S-29' },
    userWithTickets: {
      reads: { user: 'User', tickets: ['Ticket'] },
      by: ['organization', 'username'],
      order: 'ticketId desc',
      limit: 10,
      strategy: 'S-30',
    },
    ticket: { reads: 'Ticket', by: ['ticketId'], strategy: 'S-30' },
  })
  .tables({ Saas: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Organization: { Saas: ['ORG#{organization}', 'METADATA#{organization}'] }, // METADATA sorts before USER
    User: {
      Saas: ['ORG#{organization}', 'USER#{username}'],
      GSI1: ['ORG#{organization}#USER#{username}', 'USER#{username}'],
    },
    // TICKET sorts before USER: read backwards, the user comes first and the newest tickets follow.
    Ticket: {
      Saas: ['TICKET#{ticketId}', 'TICKET#{ticketId}'],
      GSI1: ['ORG#{organization}#USER#{username}', 'TICKET#{ticketId}'],
    },
  })
  .served({
    found: 'PutItem',
    join: 'PutItem',
    openTicket: 'PutItem',
    organization: 'GetItem',
    organizationWithUsers: { query: 'Saas' },
    users: { query: 'Saas' },
    user: 'GetItem',
    userWithTickets: { query: 'GSI1' },
    ticket: 'GetItem',
  });

const place = z.string().regex(/^[A-Z0-9-]+$/);

/**
 * S-31 A composite sort key: a hierarchy of more than two levels, searched at each of them, each time for everything below it.
 * The id of the shop at the end distinguishes two in one zip code.
 */
export const shopLocations = model('shopLocations')
  .entities({
    Shop: entity({ country: place, state: place, city: place, zip: place, shopId: place, squareFeet: z.number() }),
  })
  .relationships([])
  .patterns({
    open: { creates: 'Shop' },
    inCountry: { reads: ['Shop'], by: ['country'], limit: 100, strategy: 'S-31' },
    inState: { reads: ['Shop'], by: ['country', 'state'], limit: 100, strategy: 'S-31' },
    inCity: { reads: ['Shop'], by: ['country', 'state', 'city'], limit: 100, strategy: 'S-31' },
    inZip: { reads: ['Shop'], by: ['country', 'state', 'city', 'zip'], limit: 100, strategy: 'S-31' },
  })
  .tables({ Shops: { key: ['PK', 'SK'] } })
  .keys({ Shop: { Shops: ['{country}', '{state}#{city}#{zip}#{shopId}'] } })
  .served({
    open: 'PutItem',
    inCountry: { query: 'Shops' },
    inState: { query: 'Shops' },
    inCity: { query: 'Shops' },
    inZip: { query: 'Shops' },
  });
