/** Example data used by many rows: small enough to check by eye, rich enough to tell behaviours apart. */
import type { JsonObject } from './row.ts';
import { table } from './tables.ts';
import type { WireItem } from './values.ts';
import { N, S, SS } from './values.ts';

export interface Fixture {
  readonly table: JsonObject;
  readonly items: readonly WireItem[];
}

const role = (actor: string, movie: string, part: string, year: number, genre: string): WireItem => ({
  Actor: S(actor),
  Movie: S(movie),
  Role: S(part),
  Year: N(year),
  Genre: S(genre),
});

export const castAway: WireItem = role('Tom Hanks', 'Cast Away', 'Chuck Noland', 2000, 'Drama');
export const toyStoryHanks: WireItem = role('Tom Hanks', 'Toy Story', 'Woody', 1995, "Children's");
export const toyStoryAllen: WireItem = role('Tim Allen', 'Toy Story', 'Buzz Lightyear', 1995, "Children's");
export const blackSwan: WireItem = role('Natalie Portman', 'Black Swan', 'Nina Sayers', 2010, 'Drama');

/** Roles by actor and movie, with a global index by movie and actor and a local one by year. */
export const moviesAndActors: Fixture = {
  table: table('Actor:S / Movie:S', {
    gsis: { gsiMovies: 'Movie:S / Actor:S' },
    lsis: { lsiYear: 'Actor:S / Year:N' },
  }),
  items: [castAway, toyStoryHanks, toyStoryAllen, blackSwan],
};

const user = (name: string, first: string, last: string, birthdate: string): WireItem => ({
  Username: S(name),
  FirstName: S(first),
  LastName: S(last),
  Birthdate: S(birthdate),
});

/** A simple key. */
export const users: Fixture = {
  table: table('Username:S'),
  items: [
    user('alexdebrie', 'Alex', 'DeBrie', '1988-05-26'),
    user('dayoneguy', 'Jeff', 'Bezos', '1964-01-12'),
    user('oracleofomaha', 'Warren', 'Buffett', '1930-07-30'),
  ],
};

export const order = (customer: string, time: string, amount: string, status: string): WireItem => ({
  CustomerId: S(customer),
  OrderTime: S(time),
  Amount: N(amount),
  Status: S(status),
});

/** Orders by customer and time. */
export const customerOrders: Fixture = {
  table: table('CustomerId:S / OrderTime:S'),
  items: [
    order('aef7159cd662', '2020-01-06T14:22:48', '42.19', 'SHIPPED'),
    order('36ab55a589e4', '2020-01-08T02:27:04', '179.98', 'CANCELLED'),
    order('36ab55a589e4', '2020-01-11T04:24:58', '66.21', 'SHIPPED'),
    order('36ab55a589e4', '2020-01-16T02:01:36', '87.77', 'PLACED'),
    order('f7f2cb482b74', '2020-01-15T14:28:29', '12.44', 'SHIPPED'),
  ],
};

/** The reading of one sensor in the given minute of 2020-02-15. */
export function sensorReading(minute: number): WireItem {
  const at = new Date(Date.UTC(2020, 1, 15) + minute * 60_000).toISOString().slice(0, 19);
  const known: Readonly<Record<number, string>> = {
    0: '32.4',
    1: '32.4',
    2: '32.3',
    947: '67.1',
    948: '67.4',
    949: '67.5',
  };
  return {
    SensorId: N(14891),
    Timestamp: S(at),
    Temperature: N(known[minute] ?? String((320 + (minute % 360)) / 10)),
  };
}

/** Readings of one sensor, one a minute; 1,440 make a day. */
export const sensorReadings: Fixture = {
  table: table('SensorId:N / Timestamp:S'),
  items: Array.from({ length: 1440 }, (_, minute) => sensorReading(minute)),
};

const organisation = (key: string, name: string, level: string): WireItem => ({
  PK: S(`ORG#${key}`),
  SK: S(`ORG#${key}`),
  OrgName: S(name),
  SubscriptionLevel: S(level),
});

const member = (key: string, name: string, role: string): WireItem => ({
  PK: S(`ORG#${key}`),
  SK: S(`USER#${name}`),
  Role: S(role),
});

/** Organisations and their users in one table. */
export const organisations: Fixture = {
  table: table('PK:S / SK:S'),
  items: [
    organisation('BERKSHIRE', 'Berkshire Hathaway', 'Enterprise'),
    member('BERKSHIRE', 'CHARLIEMUNGER', 'Member'),
    member('BERKSHIRE', 'WARRENBUFFETT', 'Admin'),
    organisation('FACEBOOK', 'Facebook', 'Pro'),
    member('FACEBOOK', 'SHERYLSANDBERG', 'Admin'),
  ],
};

const billing = (key: string, subscription: string, ...admins: readonly string[]): WireItem => ({
  PK: S(key),
  SubscriptionType: S(subscription),
  Admins: SS(...admins),
});

/** Subscriptions with the set of those who may change them. */
export const billingDetails: Fixture = {
  table: table('PK:S'),
  items: [
    billing('Amazon', 'Enterprise', 'Jeff Bezos', 'Andy Jassy'),
    billing('Google', 'Pro', 'Satya Nadella'),
    billing('Oracle', 'Free', 'Larry Ellison'),
    billing('Facebook', 'Enterprise', 'Mark Zuckerberg'),
  ],
};
