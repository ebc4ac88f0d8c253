import { batchGet, describe, get, query, refused, scan, type Strategy, tourTable } from '../tour-request.ts';

/** Migrations, guards, documents and capacity: S-57 to S-84. */
export const operation: readonly Strategy[] = [
  {
    id: 'S-57',
    title: 'Classify a change',
    steps: [
      get(
        'Customers are to have a birthday. Does a stored item have to be written for that?',
        ['CUSTOMER#gracehopper'],
        'No: it may lack the attribute. First ask what a change needs of the stored items: nothing, a default when read, keys of an index, or another primary key.',
      ),
    ],
  },
  {
    id: 'S-58',
    title: 'New attributes on an existing entity',
    steps: [
      get(
        'The code wants Country, and this item was written before there was one. What comes back?',
        ['CUSTOMER#alexdebrie'],
        'The item without it. The boundary supplies a default when it reads, and writes it with the next change.',
        'Country, Email',
      ),
    ],
  },
  {
    id: 'S-59',
    title: 'New entity without relational pattern',
    steps: [
      get(
        'Clubs came later than customers. What had to change in the table for them?',
        ['CLUB#readers'],
        'Nothing: a new prefix, and code that writes it.',
      ),
    ],
  },
  {
    id: 'S-60',
    title: 'New entity into an existing collection',
    steps: [
      query(
        'Stars came later than issues. Where were they put?',
        'REPO#singlet',
        { sk: ['begins_with', 'STAR#'], items: 2 },
        'Into the collection of the repository, behind it, where there was room. Nothing that was stored has changed.',
      ),
    ],
  },
  {
    id: 'S-61',
    title: 'New entity into a new collection',
    steps: [
      query(
        'The lines of an order want a collection with their order. Which items had to be written again?',
        'ORDER#A1',
        { index: 'GSI1', items: 3 },
        'The orders: they got GSI1PK and GSI1SK. New items bring them along; old ones are given them by a backfill.',
      ),
    ],
  },
  {
    id: 'S-62',
    title: 'Join existing items in a new collection',
    steps: [
      query(
        'Films and actors were there. What joined them, so that an actor is read together with the roles?',
        'ACTOR#Tom Hanks',
        { index: 'GSI1', items: 3 },
        'Keys of an index on both. The actor itself got them as well: it is the last of the three.',
      ),
    ],
  },
  {
    id: 'S-63',
    title: 'Backfill (ETL) job',
    steps: [
      scan(
        'Which items does a backfill of orders find, and how?',
        {
          FilterExpression: '#type = :type',
          ExpressionAttributeNames: { '#type': 'Type' },
          ExpressionAttributeValues: { ':type': { S: 'Order' } },
        },
        4,
        'All that say that they are orders, by one pass through the table. Each is then written on condition that it is still as it was read.',
      ),
    ],
  },
  {
    id: 'S-64',
    title: 'Parallel scans',
    steps: [
      scan(
        'A pass through a large table takes long. How is it shared among four workers?',
        { TotalSegments: 4, Segment: 0 },
        undefined,
        'By segments: each worker has a part of hash space, and reads it page by page. This is the first of four.',
      ),
      scan(
        'And the second?',
        { TotalSegments: 4, Segment: 1 },
        undefined,
        'Other items: no item is in two segments, and none is in no segment.',
      ),
    ],
  },
  {
    id: 'S-65',
    title: 'Uniqueness of two or more attributes',
    steps: [
      refused(
        'A new customer wants the address of Alex. Username and email are both to be unique. What stops it?',
        'TransactWriteItems',
        {
          TransactItems: [create('CUSTOMER#mallory', { Name: { S: 'Mallory' } }), create('EMAIL#alex@example.com', {})],
        },
        'TransactionCanceledException',
        'The second item: each email has an item of its own, made in the same transaction on condition that there is none. So neither was written.',
      ),
    ],
  },
  {
    id: 'S-66',
    title: 'Sequential ids',
    steps: [
      get(
        'Which number gets the next issue?',
        ['REPO#singlet'],
        'The count of the repository and one. An UpdateItem adds one and returns the new value, then the issue is created with it; two writers never get the same.',
        'IssueCount',
      ),
    ],
  },
  {
    id: 'S-67',
    title: 'Pagination',
    steps: [
      query(
        'Two orders a page. What does the answer have besides the items?',
        'CUSTOMER#alexdebrie',
        { sk: ['begins_with', '#ORDER#'], limit: 2, items: 2 },
        'LastEvaluatedKey: where the page ended.',
      ),
      query(
        'Which request brings the next page?',
        'CUSTOMER#alexdebrie',
        {
          sk: ['begins_with', '#ORDER#'],
          limit: 2,
          startAfter: { PK: 'CUSTOMER#alexdebrie', SK: '#ORDER#2026-11-02#A2' },
          items: 1,
        },
        'The same one with that key as ExclusiveStartKey. Pages are as quick at the end as at the beginning; a page by its number is not to be had.',
      ),
    ],
  },
  {
    id: 'S-68',
    title: 'Singleton item',
    steps: [
      get(
        'There is one front page. What is in its key?',
        ['FRONTPAGE'],
        'Its name and no variable. Good for settings and lists that all share; watch how often it is read, since it is one key.',
      ),
    ],
  },
  {
    id: 'S-69',
    title: 'Reference counts',
    steps: [
      get(
        'How many stars has the repository? Are they counted now?',
        ['REPO#singlet'],
        'They were counted when they were given: the star and the count change in one transaction, so that no star counts twice.',
        'Stars',
      ),
      query(
        'What would counting them cost?',
        'REPO#singlet',
        { sk: ['begins_with', 'STAR#'], count: true },
        'As much as reading all of them. Two today, a million one day.',
      ),
    ],
  },
  {
    id: 'S-70',
    title: 'Capacity mode over time',
    steps: [
      describe(
        'In which mode is this table, and when would you change it?',
        'DescribeTable',
        'On demand: nothing to plan, and dearer for each request. When the load is known and steady, provisioned capacity with scaling costs less.',
      ),
    ],
  },
  {
    id: 'S-71',
    title: 'Limit in-progress items with a set',
    steps: [
      refused(
        'A worker has two jobs and may have two. It takes a third. What says no?',
        'UpdateItem',
        {
          Key: key('WORKER#1'),
          UpdateExpression: 'ADD InProgress :job',
          ConditionExpression: 'size(InProgress) < :limit',
          ExpressionAttributeValues: { ':job': { SS: ['j3'] }, ':limit': { N: '2' } },
        },
        'ConditionalCheckFailedException',
        'The condition on the size of the set, in the same request as the write. A read before it could be out of date.',
      ),
    ],
  },
  {
    id: 'S-72',
    title: 'Assert permission inside the write',
    steps: [
      refused(
        'Mallory renames the team. Who may, and where is that looked up?',
        'UpdateItem',
        {
          Key: key('TEAM#core'),
          UpdateExpression: 'SET TeamName = :name',
          ConditionExpression: 'contains(Admins, :who)',
          ExpressionAttributeValues: { ':name': { S: 'Ours' }, ':who': { S: 'mallory' } },
        },
        'ConditionalCheckFailedException',
        'On the item itself, within the write: one request, and no time between looking and writing.',
      ),
    ],
  },
  {
    id: 'S-73',
    title: 'Check across items',
    steps: [
      refused(
        'A new user of an organization that does not exist. The user is another item: how is it refused?',
        'TransactWriteItems',
        {
          TransactItems: [
            {
              ConditionCheck: {
                TableName: tourTable,
                Key: key('ORG#NOWHERE'),
                ConditionExpression: 'attribute_exists(PK)',
              },
            },
            create('USER#NOWHERE', {}),
          ],
        },
        'TransactionCanceledException',
        'By a ConditionCheck in the transaction: it writes nothing, and must hold for the rest to be written.',
      ),
    ],
  },
  {
    id: 'S-74',
    title: 'Guard every create',
    steps: [
      refused(
        'Grace signs up a second time. What would a plain PutItem do?',
        'PutItem',
        {
          Item: { ...key('CUSTOMER#gracehopper'), Name: { S: 'An impostor' } },
          ConditionExpression: 'attribute_not_exists(PK)',
        },
        'ConditionalCheckFailedException',
        'Replace the customer, without a word. With the condition it is refused: an item is created only where there is none.',
      ),
    ],
  },
  {
    id: 'S-75',
    title: 'Guard against expired items',
    steps: [
      refused(
        'A session expired in 2023 and is still stored: time to live removes items within days. May it be used?',
        'UpdateItem',
        {
          Key: key('SESSION#t1'),
          UpdateExpression: 'SET UsedAt = :now',
          ConditionExpression: 'ExpiresAt > :now',
          ExpressionAttributeValues: { ':now': { N: '1795000000' } },
        },
        'ConditionalCheckFailedException',
        'No: the condition compares with the clock. Reads do the same, by a filter.',
      ),
    ],
  },
  {
    id: 'S-76',
    title: 'BETWEEN as universal sort-key condition',
    steps: [
      query(
        'One function for every range: all orders, those since a day, those of a day. Which operator covers them?',
        'CUSTOMER#alexdebrie',
        { sk: ['between', '#ORDER#2026-11-01', '#ORDER#2026-11-30~'], items: 2 },
        'BETWEEN, with an open end replaced by the lowest or highest text: "~" sorts behind letters and digits.',
      ),
    ],
  },
  {
    id: 'S-77',
    title: 'Index projection to leave out a big attribute',
    steps: [
      query(
        'GSI2 holds keys only. Which attributes of a placed order come back?',
        'PLACED',
        { index: 'GSI2', items: 2 },
        'Its keys, and nothing else. The entry is small, cheap to write and to read; who wants more reads the item by its key.',
      ),
    ],
  },
  {
    id: 'S-78',
    title: 'Sharding of hot keys',
    steps: [
      batchGet(
        'Everybody likes one deal: one key, and at most 1,000 writes a second. Where are its likes counted?',
        [
          ['DEAL#42#0', 'LIKES'],
          ['DEAL#42#1', 'LIKES'],
          ['DEAL#42#2', 'LIKES'],
        ],
        'In three items, of which each write takes one by chance. Reading adds them up: three times the writes, for three reads.',
      ),
    ],
  },
  {
    id: 'S-79',
    title: 'Measure capacity while prototyping; charge back',
    steps: [
      query(
        'What does this Query cost?',
        'CUSTOMER#alexdebrie',
        { items: 4 },
        'The strip says it: the page asks for ReturnConsumedCapacity with each request. An application can add it up for each pattern, and for each of its customers.',
      ),
    ],
  },
  {
    id: 'S-80',
    title: 'Alarm on item collection size',
    steps: [
      query(
        'How large is this collection, and when does that matter?',
        'SENSOR#7',
        { count: true },
        'A few items. With a local index a collection ends at 10 GB; without one, at the speed of one partition. Watch those that grow without a bound.',
      ),
    ],
  },
  {
    id: 'S-82',
    title: 'React to changes with streams',
    steps: [
      describe(
        'A count, a mail, a copy in another table: who does that after a write?',
        'ListStreams',
        'A reader of the stream: it has each change once, in the order of its item, for 24 hours. This table has one, with old and new images.',
      ),
    ],
  },
  {
    id: 'S-83',
    title: 'Sets and maps as small structures',
    steps: [
      get(
        'Members and votes of a club: how many items?',
        ['CLUB#readers'],
        'One: a set takes and gives members without reading it first, a map counts by name. Good while both are small.',
      ),
    ],
  },
  {
    id: 'S-84',
    title: 'Split large items',
    steps: [
      query(
        'A text of more than 400 KB does not fit into an item. How is it stored?',
        'DOC#1',
        { items: 4 },
        'In parts below one key: one Query puts them together, in order.',
      ),
      get(
        'And where only the title is wanted?',
        ['DOC#1'],
        'The first item alone, without its parts: what is read often stays small.',
      ),
    ],
  },
];

function key(text: string): { readonly PK: { readonly S: string }; readonly SK: { readonly S: string } } {
  return { PK: { S: text }, SK: { S: text } };
}

/** A part of a transaction that creates an item where there is none. */
function create(text: string, more: object): object {
  const Item = { ...key(text), ...more };
  return { Put: { TableName: tourTable, Item, ConditionExpression: 'attribute_not_exists(PK)' } };
}
