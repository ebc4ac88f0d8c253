import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import { attribute, codec, connect, entity, model, ref } from '../src/index.ts';
import { mixed } from './patterns.model.ts';
import { load } from '../src/samples/index.ts';
import { shop } from './shop.model.ts';

/** What must compile and, after each `@ts-expect-error`, what must not. Only compiled, never run. */
declare const client: DynamoDBClient;
type Same<A, B> = [A, B] extends [B, A] ? (keyof A extends keyof B ? [] : ['different']) : ['different'];
/** Takes no argument if both types are the same. */
declare function same<A, B>(...difference: Same<A, B>): void;
declare function look(value: unknown): void;

export async function results(): Promise<void> {
  const db = connect(shop, { client });
  const { customer, orders, cursor } = await db.customerWithOrders({ username: 'alex' });
  same<string | undefined, NonNullable<typeof customer>['email'] | undefined>();
  look(customer?.name);
  same<'ACCEPTED' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED', (typeof orders)[number]['status']>();
  await db.olderOrders({ username: 'alex', orderId: { before: 'x' } }, { cursor });
  const created = await db.createCustomer({ username: 'a', email: 'a@x.org', name: 'A', createdAt: 'now' });
  same<Record<string, { street: string; city: string; state: string }>, typeof created.addresses>();
  const page = await connect(mixed, { client }).ticketIds({ org: 'acme' });
  same<{ org: string; ticketId: string }[], typeof page.items>();
  // @ts-expect-error the check itself distinguishes types
  same<{ org: string }[], typeof page.items>();
  // @ts-expect-error the pattern reads only two attributes
  look(page.items[0]?.region);
  // @ts-expect-error an order has no shoe size
  look(orders[0]?.shoeSize);
}

export async function inputs(): Promise<void> {
  const db = connect(shop, { client });
  // @ts-expect-error the username is missing
  await db.customer({});
  // @ts-expect-error the username is text
  await db.customer({ username: 1 });
  // @ts-expect-error a pattern has only its declared inputs
  await db.customer({ username: 'alex', email: 'a@x.org' });
  // @ts-expect-error no such status
  await db.setOrderStatus({ username: 'alex', orderId: 'o', status: 'LOST' });
  // @ts-expect-error the value to set is required
  await db.setOrderStatus({ username: 'alex', orderId: 'o' });
  // @ts-expect-error there is no such pattern
  await db.customerByShoe({});
  // @ts-expect-error each part of a transaction is required
  await db.placeOrder({ lines: [] });
  const hard = connect(mixed, { client });
  // @ts-expect-error the number comes from the repository's counter
  await hard.openIssue({ owner: 'o', repo: 'r', title: 't', number: 5 });
  // @ts-expect-error a change of a locked entity requires a version
  await hard.editDocument({ documentId: 'd', body: 'b' });
  // @ts-expect-error the alias is the input, not the attribute
  await hard.matchesOf({ user1: 'u' });
  await hard.frontPage({});
  // @ts-expect-error a pattern without inputs takes none, which would select nothing
  await hard.frontPage({ brand: 'acme' });
  const unknown: { readonly text?: string } = {};
  // What may be left out may also be undefined: the caller does not have to know which it is.
  const interval = { from: unknown.text, to: unknown.text, begins: unknown.text };
  await db.olderOrders({ username: 'alex', orderId: interval }, { limit: undefined, consistent: undefined });
  await db.olderOrders({ username: 'alex', orderId: undefined });
}

const begun = model('wrong').entities({ Note: entity({ user: z.string(), at: z.string(), body: z.string() }) });
// @ts-expect-error no such entity in a relationship
begun.relationships([['Note', '1:N', 'Page']]);
// @ts-expect-error a lock is an attribute of the entity
entity({ id: z.string() }, { lock: 'version' });

const related = begun.relationships([]);
// @ts-expect-error no such entity to read
related.patterns({ a: { reads: 'Page', by: ['user'] } });
// @ts-expect-error no such attribute
related.patterns({ a: { reads: 'Note', by: ['username'] } });
// @ts-expect-error an order is by an attribute
related.patterns({ a: { reads: ['Note'], by: ['user'], order: 'created desc' } });
// @ts-expect-error no such attribute in a condition
related.patterns({ a: { reads: ['Note'], by: ['user'], where: { username: 'alex' } } });
related.patterns({ a: { reads: ['Note'], where: { user: 'alex', 'at.day': { exists: true } } } });
related.patterns({ a: { reads: ['Note'], where: { any: [{ user: 'alex' }, { at: { exists: true } }] } } });

const posts = model('posts')
  .entities({
    Post: entity({ id: z.string(), title: z.string() }),
    Author: entity({ id: z.string(), name: z.string() }),
  })
  .relationships([]);
posts.patterns({ rename: { updates: 'Author', by: ['id'], sets: ['name'] } });
posts.patterns({ both: { reads: { post: 'Post', authors: ['Author'] }, by: ['id'], attributes: ['title', 'name'] } });
// @ts-expect-error another entity has the attribute that is set
posts.patterns({ rename: { updates: 'Post', by: ['id'], sets: ['name'] } });
// @ts-expect-error the same for one that may be set
posts.patterns({ rename: { updates: 'Post', by: ['id'], maySet: ['name'] } });
// @ts-expect-error the same in a transaction
posts.patterns({ rename: { transacts: { post: { updates: 'Post', by: ['id'], sets: ['name'] } } } });
// @ts-expect-error the same for what identifies an item in a transaction
posts.patterns({ remove: { transacts: { post: { deletes: 'Post', by: ['name'] } } } });
// @ts-expect-error the same for a change
posts.patterns({ rename: { updates: 'Post', by: ['id'], changes: { name: 'x' } } });
// @ts-expect-error the same for a condition
posts.patterns({ rename: { updates: 'Post', by: ['id'], sets: ['title'], given: { name: 'x' } } });
// @ts-expect-error the same for a path in a transaction
posts.patterns({ rename: { transacts: { post: { checks: 'Post', by: ['id'], given: { 'names[0].at': 'x' } } } } });
posts.patterns({
  rename: { updates: 'Post', by: ['id'], changes: { 'title.{at}': 'x' }, given: { any: [{ id: 'x' }] } },
});
// @ts-expect-error the same for a filter
posts.patterns({ posts: { reads: ['Post'], by: ['id'], filters: ['name'] } });
// @ts-expect-error the same for a range
posts.patterns({ posts: { reads: ['Post'], by: ['id'], range: 'name' } });
// @ts-expect-error the same for what is read
posts.patterns({ posts: { reads: ['Post'], by: ['id'], attributes: ['id', 'name'] } });

const tabled = related
  .patterns({ notes: { reads: ['Note'], by: ['user'] } })
  .tables({ T: { key: ['PK', 'SK'], indexes: { GSI1: ['A', 'B'] } } });
// @ts-expect-error no such attribute in a key template
tabled.keys({ Note: { T: ['USER#{username}', 'NOTE#{at}'] } });
// @ts-expect-error no such encoder
tabled.keys({ Note: { T: ['USER#{user:loud}', 'NOTE#{at}'] } });
// @ts-expect-error every entity has keys
tabled.keys({});
// @ts-expect-error no such table or index
tabled.keys({ Note: { GSI2: ['USER#{user}', 'NOTE#{at}'] } });

const keyed = tabled.keys({ Note: { T: ['USER#{user:lower}', 'NOTE#{at:utc}'] } });
// @ts-expect-error every pattern must be served
keyed.served({});
// @ts-expect-error no such index
keyed.served({ notes: { query: 'GSI9' } });
keyed.served({ notes: { query: 'T' } });

const rooms = model('rooms')
  .entities({ Night: entity({ hotel: z.string(), free: z.number(), total: z.number().optional(), note: z.string() }) })
  .relationships([]);
const book = { updates: 'Night', by: ['hotel'], sets: ['free'] } as const;
rooms.patterns({ book: { ...book, given: { free: { below: attribute('total'), atLeast: 0 } } } });
rooms.patterns({ books: { transacts: { one: { ...book, given: { free: { below: attribute('total') } } } } } });
/** A schema does not always yield what it takes, and a write gets what it takes. */
const readings = model('readings')
  .entities({
    Reading: entity({
      id: z.string(),
      site: z.string().optional(),
      words: z.string().transform((text) => text.length),
      level: z.number().default(0),
      grade: z.coerce.number(),
    }),
  })
  .relationships([])
  .patterns({
    record: { creates: 'Reading' },
    correct: { updates: 'Reading', by: ['id', 'site'], sets: ['words', 'level'], maySet: ['grade'] },
    raise: {
      updates: 'Reading',
      by: ['id'],
      changes: { level: ref('to'), site: ref('place') },
      takes: { to: z.string().transform(Number), place: z.string().optional() },
    },
    above: {
      reads: ['Reading'],
      by: ['id'],
      where: { level: { above: ref('least') } },
      takes: { least: z.number().default(5) },
    },
  })
  .tables({ Readings: { key: ['PK'] } })
  .keys({ Reading: { Readings: ['{id}'] } })
  .served({
    record: 'PutItem',
    correct: 'UpdateItem',
    raise: 'UpdateItem',
    above: { query: 'Readings' },
  });
export async function given(): Promise<void> {
  const db = connect(readings, { client });
  const { words } = await db.record({ id: 'a', words: 'two words', grade: '7' });
  same<number, typeof words>();
  // @ts-expect-error a schema that takes anything does not take nothing
  await db.record({ id: 'a', words: 'two words' });
  await db.correct({ id: 'a', site: 'x', words: 'two words', level: 1, grade: 7 });
  // @ts-expect-error the schema takes a text, of which it makes a number
  await db.correct({ id: 'a', site: 'x', words: 2, level: 1 });
  // @ts-expect-error no item has a missing attribute that is compared
  await db.correct({ id: 'a', site: undefined, words: 'two words', level: 1 });
  // @ts-expect-error the default would replace the stored value by mistake
  await db.correct({ id: 'a', site: 'x', words: 'two words', level: undefined });
  await db.raise({ id: 'a', to: '7', place: 'x' });
  // @ts-expect-error the schema takes a text, of which it makes a number
  await db.raise({ id: 'a', to: 7, place: 'x' });
  // @ts-expect-error what refers to an input needs a value
  await db.raise({ id: 'a', to: '7' });
  await db.above({ id: 'a' });
  await db.above({ id: 'a', least: 2 });
}

export async function loaded(): Promise<void> {
  await load(readings, 'Reading', [{ id: 'a', words: 'two words', grade: 7 }], { client });
  // @ts-expect-error a schema checks what is loaded, and takes a text
  await load(readings, 'Reading', [{ id: 'a', words: 2, grade: 7 }], { client });
  await load(boxes, 'Box', [{ w: 1, h: 2, label: 'x' }], { client });
}

const day = codec(z.iso.date(), { decode: (text) => new Date(text), encode: (date: Date) => date.toISOString() });
const stays = model('stays')
  .entities({ Stay: entity({ id: z.string(), from: day, to: day, paid: z.boolean(), left: z.boolean() }) })
  .relationships([]);
const leave = { updates: 'Stay', by: ['id'], sets: ['left'] } as const;
stays.patterns({
  leave: { ...leave, given: { from: { below: attribute('to') }, paid: { equals: attribute('left') } } },
});
stays.patterns({ leave: { ...leave, given: { from: { below: attribute('id') } } } });
// @ts-expect-error true and false have no order
stays.patterns({ leave: { ...leave, given: { paid: { below: attribute('left') } } } });
// @ts-expect-error a time is stored as text
stays.patterns({ leave: { ...leave, given: { from: { equals: attribute('left') } } } });

// @ts-expect-error a number cannot be compared with a text
rooms.patterns({ book: { ...book, given: { free: { below: attribute('note') } } } });
// @ts-expect-error no such attribute
rooms.patterns({ book: { ...book, given: { free: { below: attribute('all') } } } });
// @ts-expect-error the same in an alternative
rooms.patterns({ book: { ...book, given: { any: [{ note: 'x' }, { free: { equals: attribute('note') } }] } } });
// @ts-expect-error the same in a transaction
rooms.patterns({ books: { transacts: { one: { ...book, given: { free: { below: attribute('note') } } } } } });
// @ts-expect-error a read does not compare attributes
rooms.patterns({ nights: { reads: ['Night'], by: ['hotel'], where: { free: { below: attribute('total') } } } });

const sized = entity(
  { w: z.number(), h: z.number(), size: z.number(), label: z.string() },
  {
    computed: { size: { from: ['w', 'h'], as: ({ w, h }) => w * h } },
  },
);
const boxes = model('sizes')
  .entities({ Box: sized })
  .relationships([])
  .patterns({ add: { creates: 'Box' } })
  .tables({ T: { key: ['PK'] } })
  .keys({ Box: { T: ['BOX#{label}'] } })
  .served({ add: 'PutItem' });
export async function computed(): Promise<void> {
  const db = connect(boxes, { client });
  const { size } = await db.add({ w: 1, h: 2, label: 'x' });
  same<number, typeof size>();
  // @ts-expect-error the size is computed
  await db.add({ w: 1, h: 2, label: 'x', size: 2 });
}
// @ts-expect-error the size is a number
entity({ w: z.number(), size: z.number() }, { computed: { size: { from: ['w'], as: ({ w }) => String(w) } } });
// @ts-expect-error no such source
entity({ w: z.number(), size: z.number() }, { computed: { size: { from: ['h'], as: ({ w }) => w } } });
