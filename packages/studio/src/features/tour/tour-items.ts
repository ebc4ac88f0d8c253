import type { AttributeMap } from '../../../../singlet/src/values/attribute-value.ts';
import { attributes, tourTable } from './tour-request.ts';

type Plain = Parameters<typeof attributes>[0];
type Entry = readonly [partition: string, sort: string];

/** The input of `CreateTable`: two overloaded indexes, the second with keys only, and a stream. */
export const tourTableInput: object = {
  TableName: tourTable,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['', 'GSI1', 'GSI2'].flatMap((index) =>
    ['PK', 'SK'].map((name) => ({ AttributeName: `${index}${name}`, AttributeType: 'S' })),
  ),
  KeySchema: keySchema(''),
  GlobalSecondaryIndexes: [
    { IndexName: 'GSI1', KeySchema: keySchema('GSI1'), Projection: { ProjectionType: 'ALL' } },
    { IndexName: 'GSI2', KeySchema: keySchema('GSI2'), Projection: { ProjectionType: 'KEYS_ONLY' } },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
};

function keySchema(index: string): readonly object[] {
  return [
    { AttributeName: `${index}PK`, KeyType: 'HASH' },
    { AttributeName: `${index}SK`, KeyType: 'RANGE' },
  ];
}

function item(Type: string, [PK, SK]: Entry, more: Plain = {}, gsi1?: Entry, gsi2?: Entry): AttributeMap {
  return attributes({
    PK,
    SK,
    Type,
    ...(gsi1 && { GSI1PK: gsi1[0], GSI1SK: gsi1[1] }),
    ...(gsi2 && { GSI2PK: gsi2[0], GSI2SK: gsi2[1] }),
    ...more,
  });
}

/** An item in its own collection: both parts of its key are the same. */
function alone(Type: string, key: string, more: Plain = {}, gsi1?: Entry): AttributeMap {
  return item(Type, [key, key], more, gsi1);
}

function order(username: string, id: string, day: string, Status: string, Amount: number): AttributeMap {
  const placed: Entry | undefined = Status === 'PLACED' ? ['PLACED', `${day}#${id}`] : undefined;
  const key: Entry = [`CUSTOMER#${username}`, `#ORDER#${day}#${id}`];
  return item('Order', key, { OrderId: id, Status, Amount, CreatedAt: day }, [`ORDER#${id}`, `ORDER#${id}`], placed);
}

function line(orderId: string, itemId: string, Title: string, Price: number): AttributeMap {
  const key: Entry = [`ORDER#${orderId}#ITEM#${itemId}`, `ORDER#${orderId}#ITEM#${itemId}`];
  return item('OrderItem', key, { Title, Price }, [`ORDER#${orderId}`, `ITEM#${itemId}`]);
}

function user(username: string, role: string): AttributeMap {
  return item('User', ['ORG#BERKSHIRE', `USER#${username}`], { Name: username, Role: role });
}

function ticket(id: string, username: string, status: string, day: string): AttributeMap {
  const collection = `ORG#BERKSHIRE#USER#${username}`;
  return item('Ticket', [`TICKET#${id}`, `TICKET#${id}`], { Status: status, CreatedAt: day }, [
    collection,
    `${status}#${day}#${id}`,
  ]);
}

function store(state: string, city: string, zip: string, id: string): AttributeMap {
  return item('Store', ['COUNTRY#USA', `STATE#${state}#CITY#${city}#ZIP#${zip}#${id}`], { StoreId: id });
}

function role(movie: string, actor: string, Character: string, Year: number): AttributeMap {
  const [MOVIE, ACTOR] = [`MOVIE#${movie}`, `ACTOR#${actor}`];
  return item('Role', [MOVIE, ACTOR], { Character, Year }, [ACTOR, MOVIE]);
}

const issuesMax = 99_999_999;

function issue(number: number, status: string): AttributeMap {
  const padded = String(number).padStart(8, '0');
  // Open ones come newest first in the ascending index, because the key contains the difference to the largest number.
  const sort = status === 'OPEN' ? `ISSUE#OPEN#${issuesMax - number}` : `ISSUE#CLOSED#${padded}`;
  const key: Entry = ['REPO#singlet', `ISSUE#${padded}`];
  return item('Issue', key, { Number: number, Status: status }, ['REPO#singlet#ISSUES', sort]);
}

function follows(who: string, whom: string): AttributeMap {
  return item('Follow', [`PROFILE#${who}`, `FOLLOWS#${whom}`]);
}

function reading(minute: number, Celsius: number): AttributeMap {
  return item('Reading', ['SENSOR#7', `READING#2026-11-22T08:0${minute}:00Z`], { Celsius });
}

/** All items of the tour: a shop, a company, films, a repository, sensors and whatever else the strategies need. */
export const tourItems: readonly AttributeMap[] = [
  alone('Customer', 'CUSTOMER#alexdebrie', {
    Name: 'Alex DeBrie',
    Email: 'alex@example.com',
    Addresses: { Home: { Street: '111 1st St', City: 'Omaha' }, Work: { Street: '9 Dodge St', City: 'Omaha' } },
  }),
  order('alexdebrie', 'A1', '2026-10-14', 'DELIVERED', 58.2),
  order('alexdebrie', 'A2', '2026-11-02', 'CANCELLED', 12),
  order('alexdebrie', 'A3', '2026-11-22', 'PLACED', 167),
  alone('Customer', 'CUSTOMER#gracehopper', { Name: 'Grace Hopper', Email: 'grace@example.com', Addresses: {} }),
  order('gracehopper', 'B1', '2026-11-20', 'PLACED', 31.5),
  line('A1', 'bk1', 'The Name of the Rose', 28.2),
  line('A1', 'bk2', 'Middlemarch', 30),
  line('A3', 'bk3', 'The Odyssey', 67),
  line('A3', 'bk4', 'Dune', 50),
  line('A3', 'bk5', 'Emma', 50),
  alone('Email', 'EMAIL#alex@example.com', { Username: 'alexdebrie' }),
  alone('Email', 'EMAIL#grace@example.com', { Username: 'gracehopper' }),
  alone('Organization', 'ORG#BERKSHIRE', { Name: 'Berkshire', Plan: { Kind: 'Enterprise', StartedAt: '2026-01-01' } }),
  user('BUFFETT', 'Admin'),
  user('MUNGER', 'Member'),
  user('ABEL', 'Member'),
  alone('User', 'USER#BERKSHIRE', { Name: 'BERKSHIRE', Role: 'Member' }),
  ticket('T1', 'BUFFETT', 'OPEN', '2026-11-01'),
  ticket('T2', 'BUFFETT', 'CLOSED', '2026-11-05'),
  ticket('T3', 'BUFFETT', 'OPEN', '2026-11-20'),
  ticket('T4', 'MUNGER', 'OPEN', '2026-11-21'),
  store('NE', 'LINCOLN', '68501', 'S1'),
  store('NE', 'OMAHA', '68102', 'S2'),
  store('NE', 'OMAHA', '68131', 'S3'),
  store('NY', 'ALBANY', '12201', 'S4'),
  store('NY', 'NEWYORK', '10001', 'S5'),
  alone('Movie', 'MOVIE#Toy Story', { Year: 1995 }),
  role('Toy Story', 'Tom Hanks', 'Woody', 1995),
  role('Toy Story', 'Tim Allen', 'Buzz Lightyear', 1995),
  alone('Movie', 'MOVIE#Cast Away', { Year: 2000 }),
  role('Cast Away', 'Tom Hanks', 'Chuck Noland', 2000),
  alone('Actor', 'ACTOR#Tom Hanks', { Birthplace: 'Concord' }, ['ACTOR#Tom Hanks', 'ACTOR#Tom Hanks']),
  item('Book', ['BOOK#Umberto Eco', 'The Name of the Rose'], { ReleasedIn: 1980, AuthorBirthdate: '1932-01-05' }),
  item('Book', ['BOOK#Umberto Eco', 'Baudolino'], { ReleasedIn: 2000, AuthorBirthdate: '1932-01-05' }),
  alone('Class', 'CLASS#DB101', { Title: 'Databases', Students: new Set(['ada', 'grace', 'linus']) }),
  alone('Person', 'NODE#1', { Data: 'Ada' }),
  item('Fact', ['NODE#1', 'DATE#1990-07-01#BIRTH'], {}, ['DATE#1990-07-01', 'BIRTH#NODE#1']),
  item('Fact', ['NODE#1', 'PLACE#Omaha#HOME'], {}, ['PLACE#Omaha', 'HOME#NODE#1']),
  item('Fact', ['NODE#2', 'PLACE#Omaha#HOME'], {}, ['PLACE#Omaha', 'HOME#NODE#2']),
  alone('Profile', 'PROFILE#ada', { Name: 'Ada' }),
  alone('Profile', 'PROFILE#grace', { Name: 'Grace' }),
  alone('Profile', 'PROFILE#linus', { Name: 'Linus' }),
  follows('ada', 'grace'),
  follows('ada', 'linus'),
  reading(0, 21.1),
  reading(1, 21.3),
  reading(2, 21.2),
  reading(3, 24.9),
  reading(4, 21.4),
  alone('Repo', 'REPO#singlet', { Stars: 2, IssueCount: 3 }),
  issue(1, 'CLOSED'),
  issue(2, 'OPEN'),
  issue(10, 'OPEN'),
  item('Star', ['REPO#singlet', 'STAR#ada'], { StarredAt: '2026-11-01' }),
  item('Star', ['REPO#singlet', 'STAR#grace'], { StarredAt: '2026-11-03' }),
  item('Post', ['FEED', 'POST#0ujtsYcgvSTl8PAuAdqWYSMnLOv'], { Text: 'first' }),
  item('Post', ['FEED', 'POST#0ujzPyRiIAffKhBux4PvQdDqMHY'], { Text: 'second' }),
  item('Post', ['FEED', 'POST#0uk1HdCJ6hUZKDgcxhpJwUl5ZEI'], { Text: 'third' }),
  item('Title', ['TITLES', 'Zebra']),
  item('Title', ['TITLES', 'apple']),
  item('Title', ['TITLES', 'Banana']),
  item('Score', ['SCORES', 'SCORE#10']),
  item('Score', ['SCORES', 'SCORE#9']),
  alone('FrontPage', 'FRONTPAGE', { Deals: ['d41', 'd42'] }),
  item('Likes', ['DEAL#42#0', 'LIKES'], { Likes: 311 }),
  item('Likes', ['DEAL#42#1', 'LIKES'], { Likes: 298 }),
  item('Likes', ['DEAL#42#2', 'LIKES'], { Likes: 305 }),
  alone('Session', 'SESSION#t1', { Username: 'ada', ExpiresAt: 1_700_000_000 }),
  alone('Session', 'SESSION#t2', { Username: 'grace', ExpiresAt: 4_102_444_800 }),
  alone('Document', 'DOC#1', { Title: 'A long report', Parts: 3 }),
  item('Part', ['DOC#1', 'PART#1'], { Text: 'It was a bright cold day' }),
  item('Part', ['DOC#1', 'PART#2'], { Text: 'in April, and the clocks' }),
  item('Part', ['DOC#1', 'PART#3'], { Text: 'were striking thirteen.' }),
  alone('Club', 'CLUB#readers', { Members: new Set(['ada', 'grace']), Votes: { Dune: 3, Emma: 5 } }),
  alone('Worker', 'WORKER#1', { InProgress: new Set(['j1', 'j2']) }),
  alone('Team', 'TEAM#core', { Admins: new Set(['ada']) }),
  alone('Event', 'LOG#1', { t: 'login', u: 'ada', d: '2026-11-22' }),
];
