import type { RawItem } from '../testing/raw-table.ts';

// A shop in stored form, written by hand: the items of the data module are compared with it.

const HOME = { Street: '1122 1st Street', City: 'Omaha', State: 'NE' };
const BUSINESS = { Street: '555 Broadway', City: 'Omaha', State: 'NE' };
const FIFTH_AVENUE = { Street: '987 Fifth Avenue', City: 'New York', State: 'NY' };

export const FIRST_ORDER_ID = '1VrgXBQ0VCshuQUnh1HrDIHQNWY';
export const SECOND_ORDER_ID = '1VwVAvJk1GvBFfpTajm0KG7Cg9d';
export const DONS_ORDER_ID = '1W1hwImrDGeuxKpXPEN07InebGy';

export const alexdebrie = {
  PK: 'CUSTOMER#alexdebrie',
  SK: 'CUSTOMER#alexdebrie',
  Type: 'Customer',
  Username: 'alexdebrie',
  Email: 'alexdebrie1@gmail.com',
  Name: 'Alex DeBrie',
  Addresses: { Home: HOME, Business: BUSINESS },
  CreatedAt: '2020-01-01T09:00:00Z',
} satisfies RawItem;

const alexdebriesEmail = {
  PK: 'CUSTOMEREMAIL#alexdebrie1@gmail.com',
  SK: 'CUSTOMEREMAIL#alexdebrie1@gmail.com',
  Type: 'CustomerEmail',
  Email: 'alexdebrie1@gmail.com',
  Username: 'alexdebrie',
} satisfies RawItem;

const theDon = {
  PK: 'CUSTOMER#the_don',
  SK: 'CUSTOMER#the_don',
  Type: 'Customer',
  Username: 'the_don',
  Email: 'vito@corleone.com',
  Name: 'Vito Corleone',
  Addresses: { Home: FIFTH_AVENUE },
  CreatedAt: '2020-01-01T10:00:00Z',
} satisfies RawItem;

const theDonsEmail = {
  PK: 'CUSTOMEREMAIL#vito@corleone.com',
  SK: 'CUSTOMEREMAIL#vito@corleone.com',
  Type: 'CustomerEmail',
  Email: 'vito@corleone.com',
  Username: 'the_don',
} satisfies RawItem;

export const firstOrder = {
  PK: 'CUSTOMER#alexdebrie',
  SK: `#ORDER#${FIRST_ORDER_ID}`,
  GSI1PK: `ORDER#${FIRST_ORDER_ID}`,
  GSI1SK: `ORDER#${FIRST_ORDER_ID}`,
  Type: 'Order',
  OrderId: FIRST_ORDER_ID,
  Username: 'alexdebrie',
  CreatedAt: '2020-01-03T01:57:44Z',
  Status: 'SHIPPED',
  Amount: 67.43,
  NumberItems: 7,
} satisfies RawItem;

export const secondOrder = {
  PK: 'CUSTOMER#alexdebrie',
  SK: `#ORDER#${SECOND_ORDER_ID}`,
  GSI1PK: `ORDER#${SECOND_ORDER_ID}`,
  GSI1SK: `ORDER#${SECOND_ORDER_ID}`,
  Type: 'Order',
  OrderId: SECOND_ORDER_ID,
  Username: 'alexdebrie',
  CreatedAt: '2020-01-04T18:53:24Z',
  Status: 'CANCELLED',
  Amount: 12.43,
  NumberItems: 2,
} satisfies RawItem;

const theDonsOrder = {
  PK: 'CUSTOMER#the_don',
  SK: `#ORDER#${DONS_ORDER_ID}`,
  GSI1PK: `ORDER#${DONS_ORDER_ID}`,
  GSI1SK: `ORDER#${DONS_ORDER_ID}`,
  Type: 'Order',
  OrderId: DONS_ORDER_ID,
  Username: 'the_don',
  CreatedAt: '2020-01-06T15:07:25Z',
  Status: 'DELIVERED',
  Amount: 98.54,
  NumberItems: 4,
} satisfies RawItem;

const goDogGo = {
  PK: `ORDER#${FIRST_ORDER_ID}#ITEM#48d7`,
  SK: `ORDER#${FIRST_ORDER_ID}#ITEM#48d7`,
  GSI1PK: `ORDER#${FIRST_ORDER_ID}`,
  GSI1SK: 'ITEM#48d7',
  Type: 'OrderItem',
  OrderId: FIRST_ORDER_ID,
  ItemId: '48d7',
  Description: 'Go, Dog, Go!',
  Price: 9.72,
} satisfies RawItem;

const lesMiserables = {
  PK: `ORDER#${FIRST_ORDER_ID}#ITEM#be43`,
  SK: `ORDER#${FIRST_ORDER_ID}#ITEM#be43`,
  GSI1PK: `ORDER#${FIRST_ORDER_ID}`,
  GSI1SK: 'ITEM#be43',
  Type: 'OrderItem',
  OrderId: FIRST_ORDER_ID,
  ItemId: 'be43',
  Description: 'Les Miserables',
  Price: 14.64,
} satisfies RawItem;

export const FIXTURE: readonly RawItem[] = [
  alexdebrie,
  alexdebriesEmail,
  theDon,
  theDonsEmail,
  firstOrder,
  secondOrder,
  theDonsOrder,
  goDogGo,
  lesMiserables,
];
