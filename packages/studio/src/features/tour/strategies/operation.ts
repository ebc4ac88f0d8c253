import { batchGet, describe, get, query, refused, scan, type Strategy, tourTable } from '../tour-request.ts';

/** Migrations, guards, documents and capacity: S-57 to S-84. */
export const operation: readonly Strategy[] = [
  {
    id: 'S-57',
    title: 'Classify a change',
    steps: [
      get(
        'Customers get a new attribute, their birthday. Do stored items have to be rewritten?',
        ['CUSTOMER#gracehopper'],
        'No: items can lack the attribute. First find out what a change requires of stored items: nothing, a default when they are read, index keys, or another primary key.',
      ),
    ],
  },
  {
    id: 'S-58',
    title: 'New attributes on an existing entity',
    steps: [
      get(
        'The code reads Country, but this item was written before the attribute existed. What is returned?',
        ['CUSTOMER#alexdebrie'],
        'The item without it. The code at the boundary supplies a default, and stores it with the next update.',
        'Country, Email',
      ),
    ],
  },
  {
    id: 'S-59',
    title: 'A new entity without a relation',
    steps: [
      get(
        'Clubs were added later than customers. What had to change in the table?',
        ['CLUB#readers'],
        'Nothing. A new entity needs a new prefix, and code that writes it.',
      ),
    ],
  },
  {
    id: 'S-60',
    title: 'A new entity in an existing collection',
    steps: [
      query(
        'Stars were added later than issues. Where did they go?',
        'REPO#singlet',
        { sk: ['begins_with', 'STAR#'], items: 2 },
        'Into the collection of the repository, where the place after it was free. No stored item had to change.',
      ),
    ],
  },
  {
    id: 'S-61',
    title: 'A new entity in a new collection',
    steps: [
      query(
        'The lines of an order were to share a collection with the order. Which items had to be rewritten?',
        'ORDER#A1',
        { index: 'GSI1', items: 3 },
        'The orders, which needed GSI1PK and GSI1SK. New items are written with them, and a backfill adds them to old ones.',
      ),
    ],
  },
  {
    id: 'S-62',
    title: 'Join existing items in a new collection',
    steps: [
      query(
        'Roles and actors already existed. What made it possible to read an actor together with the roles?',
        'ACTOR#Tom Hanks',
        { index: 'GSI1', items: 3 },
        'Both got the keys of an index. So the actor, the first of the three, is in the same collection as the roles.',
      ),
    ],
  },
  {
    id: 'S-63',
    title: 'Backfill',
    steps: [
      scan(
        'Which items does a backfill of orders process, and how does it find them?',
        {
          FilterExpression: '#type = :type',
          ExpressionAttributeNames: { '#type': 'Type' },
          ExpressionAttributeValues: { ':type': { S: 'Order' } },
        },
        4,
        'All items of the type Order, with one scan of the table. It then updates each one on condition that the item has not changed since.',
      ),
    ],
  },
  {
    id: 'S-64',
    title: 'Parallel scans',
    steps: [
      scan(
        'Scanning a large table takes a long time. How can four workers share the scan?',
        { TotalSegments: 4, Segment: 0 },
        undefined,
        'In segments: each worker scans one part of the hash space, page by page. This is the first of four.',
      ),
      scan(
        'What does the second segment return?',
        { TotalSegments: 4, Segment: 1 },
        undefined,
        'Other items: each item is in exactly one segment.',
      ),
    ],
  },
  {
    id: 'S-65',
    title: 'Uniqueness of two or more attributes',
    steps: [
      refused(
        'Usernames and email addresses have to be unique. A new customer signs up with the email address of Alex. What prevents that?',
        'TransactWriteItems',
        {
          TransactItems: [create('CUSTOMER#mallory', { Name: { S: 'Mallory' } }), create('EMAIL#alex@example.com', {})],
        },
        'TransactionCanceledException',
        'The second item. Each email address has its own item, created in the same transaction, on condition that it does not exist. So neither item was written.',
      ),
    ],
  },
  {
    id: 'S-66',
    title: 'Sequential ids',
    steps: [
      get(
        'Which number does the next issue get?',
        ['REPO#singlet'],
        'The issue count of the repository, plus one. An UpdateItem increments it and returns the new value, and then the issue is created with it. Two writers never get the same number.',
        'IssueCount',
      ),
    ],
  },
  {
    id: 'S-67',
    title: 'Pagination',
    steps: [
      query(
        'A page shows two orders. What does the response have besides the items?',
        'CUSTOMER#alexdebrie',
        { sk: ['begins_with', '#ORDER#'], limit: 2, items: 2 },
        'LastEvaluatedKey, the key at which the page ended.',
      ),
      query(
        'Which request returns the next page?',
        'CUSTOMER#alexdebrie',
        {
          sk: ['begins_with', '#ORDER#'],
          limit: 2,
          startAfter: { PK: 'CUSTOMER#alexdebrie', SK: '#ORDER#2026-11-02#A2' },
          items: 1,
        },
        'The same request, with that key as ExclusiveStartKey. The last page is as fast as the first one, but you cannot jump to a page by its number.',
      ),
    ],
  },
  {
    id: 'S-68',
    title: 'Singleton item',
    steps: [
      get(
        'There is only one front page. What is its key?',
        ['FRONTPAGE'],
        'A fixed name without a variable. This works well for settings and shared lists. Watch how often it is read, because it is a single key.',
      ),
    ],
  },
  {
    id: 'S-69',
    title: 'Reference counts',
    steps: [
      get(
        'How many stars does the repository have? Are they counted by this request?',
        ['REPO#singlet'],
        'No: one transaction writes each star and increments the count, so that no star is counted twice.',
        'Stars',
      ),
      query(
        'What would it cost to count them?',
        'REPO#singlet',
        { sk: ['begins_with', 'STAR#'], count: true },
        'As much as reading all of them. There are two today, and maybe a million one day.',
      ),
    ],
  },
  {
    id: 'S-70',
    title: 'Capacity mode over time',
    steps: [
      describe(
        'Which capacity mode does this table have, and when would you change it?',
        'DescribeTable',
        'On demand: it needs no planning, but each request costs more. If the load is known and steady, provisioned capacity with auto scaling costs less.',
      ),
    ],
  },
  {
    id: 'S-71',
    title: 'Limit concurrency with a set',
    steps: [
      refused(
        'A worker may have two jobs, and has two. It tries to take a third one. What prevents that?',
        'UpdateItem',
        {
          Key: key('WORKER#1'),
          UpdateExpression: 'ADD InProgress :job',
          ConditionExpression: 'size(InProgress) < :limit',
          ExpressionAttributeValues: { ':job': { SS: ['j3'] }, ':limit': { N: '2' } },
        },
        'ConditionalCheckFailedException',
        'The condition on the size of the set, in the same request as the write. A separate read could be out of date.',
      ),
    ],
  },
  {
    id: 'S-72',
    title: 'Assert permission inside the write',
    steps: [
      refused(
        'Mallory tries to rename the team. Where does the database check that she is allowed to?',
        'UpdateItem',
        {
          Key: key('TEAM#core'),
          UpdateExpression: 'SET TeamName = :name',
          ConditionExpression: 'contains(Admins, :who)',
          ExpressionAttributeValues: { ':name': { S: 'Ours' }, ':who': { S: 'mallory' } },
        },
        'ConditionalCheckFailedException',
        'On the item itself, as a condition of the write. It takes one request, and nothing can change between check and write.',
      ),
    ],
  },
  {
    id: 'S-73',
    title: 'Check across items',
    steps: [
      refused(
        'Somebody creates a user of an organization that does not exist. Organizations are other items: how is the user rejected?',
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
        'By a ConditionCheck in the transaction. It writes nothing, but the other items are written only if it succeeds.',
      ),
    ],
  },
  {
    id: 'S-74',
    title: 'Guard every create',
    steps: [
      refused(
        'Grace signs up a second time. What would a PutItem without a condition do?',
        'PutItem',
        {
          Item: { ...key('CUSTOMER#gracehopper'), Name: { S: 'An impostor' } },
          ConditionExpression: 'attribute_not_exists(PK)',
        },
        'ConditionalCheckFailedException',
        'Silently replace the customer. With the condition, the request is rejected: it creates an item only if none exists.',
      ),
    ],
  },
  {
    id: 'S-75',
    title: 'Guard against expired items',
    steps: [
      refused(
        'A session expired in 2023 and is still stored, because time to live can take days to delete an item. Can it still be used?',
        'UpdateItem',
        {
          Key: key('SESSION#t1'),
          UpdateExpression: 'SET UsedAt = :now',
          ConditionExpression: 'ExpiresAt > :now',
          ExpressionAttributeValues: { ':now': { N: '1795000000' } },
        },
        'ConditionalCheckFailedException',
        'No: the condition compares its expiry with the current time. Reads do the same with a filter.',
      ),
    ],
  },
  {
    id: 'S-76',
    title: 'BETWEEN as the universal condition',
    steps: [
      query(
        'One function reads all orders, those since a day, or those of one day. Which operator serves all of these?',
        'CUSTOMER#alexdebrie',
        { sk: ['between', '#ORDER#2026-11-01', '#ORDER#2026-11-30~'], items: 2 },
        'BETWEEN. Replace a missing bound by the lowest or highest possible text: "~" sorts after letters and digits.',
      ),
    ],
  },
  {
    id: 'S-77',
    title: 'An index that leaves out a large attribute',
    steps: [
      query(
        'GSI2 projects keys only. Which attributes of a placed order are returned?',
        'PLACED',
        { index: 'GSI2', items: 2 },
        'Its keys, and nothing else. Index entries are small, and cheap to write and read. For other attributes, read the item by its key.',
      ),
    ],
  },
  {
    id: 'S-78',
    title: 'Sharding of hot keys',
    steps: [
      batchGet(
        'Everybody likes the same deal, and a single key takes at most 1,000 writes a second. Where are the likes counted?',
        [
          ['DEAL#42#0', 'LIKES'],
          ['DEAL#42#1', 'LIKES'],
          ['DEAL#42#2', 'LIKES'],
        ],
        'In three items: each write picks one at random, and a read adds them up. That allows three times as many writes, and takes three reads.',
      ),
    ],
  },
  {
    id: 'S-79',
    title: 'Measure while prototyping; charge back',
    steps: [
      query(
        'What does this Query cost?',
        'CUSTOMER#alexdebrie',
        { items: 4 },
        'The strip shows it, because the page sends ReturnConsumedCapacity with each request. An application can add it up per pattern and per customer.',
      ),
    ],
  },
  {
    id: 'S-80',
    title: 'Alarm on the size of an item collection',
    steps: [
      query(
        'How large is this collection, and when does its size matter?',
        'SENSOR#7',
        { count: true },
        'A few items. With a local index, a collection can hold at most 10 GB. Without one, the throughput of a partition is the limit. Monitor collections that keep growing.',
      ),
    ],
  },
  {
    id: 'S-82',
    title: 'React to changes with streams',
    steps: [
      describe(
        'What can update a count, send an email or copy an item to another table after a write?',
        'ListStreams',
        'A reader of the stream. The stream has each change once, in order for each item, and keeps it for 24 hours. This table has a stream with old and new images.',
      ),
    ],
  },
  {
    id: 'S-83',
    title: 'Sets and maps as small structures',
    steps: [
      get(
        'How many items hold the members and votes of a club?',
        ['CLUB#readers'],
        'One. You can add and remove members of a set without reading it first, and a map counts votes by name. This works well while both are small.',
      ),
    ],
  },
  {
    id: 'S-84',
    title: 'Split large items',
    steps: [
      query(
        'A text of more than 400 KB does not fit into one item. How is it stored?',
        'DOC#1',
        { items: 4 },
        'As several items with one partition key: one Query returns all parts, in order.',
      ),
      get('And if only the title is needed?', ['DOC#1'], 'Read the first item alone. What is read often stays small.'),
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
