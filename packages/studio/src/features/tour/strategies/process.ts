import { batchGet, describe, get, query, refused, scan, type Strategy } from '../tour-request.ts';

/** From the application to the keys: S-01 to S-26. */
export const process: readonly Strategy[] = [
  {
    id: 'S-01',
    title: 'The modelling process',
    steps: [
      query(
        'A page shows a customer with the newest orders. Which request answers it, if keys were chosen for that page?',
        'CUSTOMER#alexdebrie',
        { desc: true, limit: 3, items: 3 },
        'One Query, backwards: the customer comes first, then the newest orders. The access patterns were written down first, and the keys were made for them.',
      ),
    ],
  },
  {
    id: 'S-02',
    title: 'Entity-relationship diagram',
    steps: [
      query(
        'The diagram says: a customer has many orders. Where do you see the line between the two boxes in the table?',
        'CUSTOMER#alexdebrie',
        { items: 4 },
        'In the partition key: parent and children share it. Draw boxes and lines first; each line then needs one of a few ways of keeping it.',
      ),
    ],
  },
  {
    id: 'S-03',
    title: 'Access pattern chart',
    steps: [
      query(
        'The chart has a row "open tickets of a user", with its parameters. Which part of the request is a parameter?',
        'ORG#BERKSHIRE#USER#BUFFETT',
        { index: 'GSI1', sk: ['begins_with', 'OPEN#'], items: 2 },
        'Organization, user and status. Whatever the client knows is in the key; a row of the chart without such a request is not served yet.',
      ),
    ],
  },
  {
    id: 'S-04',
    title: 'Entity chart',
    steps: [
      batchGet(
        'Each entity has a row with its key. What do the keys of these three have in common?',
        [['CUSTOMER#alexdebrie'], ['MOVIE#Toy Story'], ['REPO#singlet']],
        'A prefix that names the entity, then the value that identifies it. The chart holds one such template for each entity and each index.',
      ),
    ],
  },
  {
    id: 'S-05',
    title: 'Simple or composite primary key',
    steps: [
      get(
        'A session is found by its token alone. Does it need a sort key?',
        ['SESSION#t2'],
        'No: one item by one value is a simple key. This table has a sort key for others, so the session repeats its key there.',
      ),
      query(
        'And the tickets, orders, readings of something?',
        'SENSOR#7',
        { items: 5 },
        'Many items are fetched together, in order. That takes a composite key: partition for "whose", sort for "in which order".',
      ),
    ],
  },
  {
    id: 'S-06',
    title: 'Primary key design principles',
    steps: [
      get(
        'The client knows a username, from the address of the page. Which key can it read?',
        ['CUSTOMER#gracehopper'],
        'One that is made of the username. A time of creation in this key would make it unique, and unreadable for everybody who does not know that time.',
      ),
    ],
  },
  {
    id: 'S-07',
    title: 'Key prefixes per entity type',
    steps: [
      batchGet(
        'An organization and a user are both called BERKSHIRE. Does one overwrite the other?',
        [['ORG#BERKSHIRE'], ['USER#BERKSHIRE']],
        'No: the prefix keeps them apart. Without it both would have the key BERKSHIRE, and the second write would replace the first.',
      ),
    ],
  },
  {
    id: 'S-08',
    title: 'Use the table first, then indexes and streams; overload indexes',
    steps: [
      query(
        'The table gives orders by customer. How are the lines of one order found, each an item by itself?',
        'ORDER#A3',
        { index: 'GSI1', items: 4 },
        'By GSI1, where the order and its lines have the same partition key. One index serves orders, tickets and films: it is overloaded.',
      ),
    ],
  },
  {
    id: 'S-09',
    title: 'No joins, also not in application code',
    steps: [
      query(
        'Customer and orders, in SQL a join. How many requests does it take here?',
        'CUSTOMER#alexdebrie',
        { items: 4 },
        'One. They were joined when they were written, by their key. Reading one and then the others would be a join in the application: two round trips, and a time between them.',
      ),
    ],
  },
  {
    id: 'S-10',
    title: 'Denormalise knowingly',
    steps: [
      query(
        'The birth date of the author is on every book. What if it was wrong?',
        'BOOK#Umberto Eco',
        { items: 2 },
        'Every copy has to be corrected. Copies are good where the value does not change, or is found and rewritten by a pattern of its own.',
      ),
    ],
  },
  {
    id: 'S-11',
    title: 'Several entity types in one table',
    steps: [
      scan(
        'Which kinds of items does this table hold?',
        { Limit: 20 },
        20,
        'Many, side by side: customers, films, sensors. The table does not mind: it knows keys, and nothing of kinds.',
      ),
    ],
  },
  {
    id: 'S-12',
    title: 'Filtering is part of the key design',
    steps: [
      query(
        'Delivered orders of one customer, by a filter. How many items are read?',
        'CUSTOMER#alexdebrie',
        {
          filter: '#status = :status',
          names: { '#status': 'Status' },
          values: { ':status': 'DELIVERED' },
          items: 1,
        },
        'All four, and one comes back. You pay for what is read. What is asked for often belongs in the key.',
      ),
      query(
        'The tickets have their status in the sort key. How many are read now?',
        'ORG#BERKSHIRE#USER#BUFFETT',
        { index: 'GSI1', sk: ['begins_with', 'CLOSED#'], items: 1 },
        'One, and one comes back.',
      ),
    ],
  },
  {
    id: 'S-13',
    title: 'Key and index overloading',
    steps: [
      query(
        'GSI1 is called by no name of an entity. What is in it under an actor?',
        'ACTOR#Tom Hanks',
        { index: 'GSI1', items: 3 },
        'The actor and the roles. Under an order there are its lines, under a user the tickets: the same two attributes mean something else for each entity.',
      ),
    ],
  },
  {
    id: 'S-14',
    title: 'Single-table design: pre-join into item collections',
    steps: [
      query(
        'Where does the customer come in the collection, before or after the orders?',
        'CUSTOMER#alexdebrie',
        { items: 4 },
        'After: "#" sorts before "C". So one Query backwards brings the customer first and then the newest orders. The prefix was chosen for that.',
      ),
    ],
  },
  {
    id: 'S-15',
    title: 'Benefits and costs of the single table',
    steps: [
      query(
        'What is the benefit, in round trips and in units?',
        'CUSTOMER#alexdebrie',
        { desc: true, items: 4 },
        'One round trip and half a read unit for four items. The costs: a model to learn, and work for every new pattern. Write the decision down, with its reasons.',
      ),
    ],
  },
  {
    id: 'S-16',
    title: 'Several tables, where agility counts more',
    steps: [
      describe(
        'What do all entities of one table share, whether they like it or not?',
        'DescribeTable',
        'Key attributes, capacity mode, stream, backups, time to live. Where patterns are not known yet, or latency does not matter, several plain tables are easier to change.',
      ),
    ],
  },
  {
    id: 'S-17',
    title: 'GraphQL and single-table design',
    steps: [
      get(
        'A resolver asks for the customer alone, because the orders have a resolver of their own. What was gained by the shared key?',
        ['CUSTOMER#alexdebrie'],
        'Nothing: two requests, as with two tables. Where resolvers are separate, either look ahead at the fields that were asked for, or keep plain tables.',
      ),
    ],
  },
  {
    id: 'S-18',
    title: 'Plan the analytics export',
    steps: [
      scan(
        'How much was sold on each day? Which key answers that?',
        { FilterExpression: '#type = :order', ...named('Order') },
        4,
        'None, and it should not: this reads the whole table. Such questions go to an export, which needs the type on each item to take the kinds apart.',
      ),
    ],
  },
  {
    id: 'S-19',
    title: 'Separate application attributes from indexing attributes',
    steps: [
      get(
        'Which attributes of this order belong to the application, and which to the indexes?',
        ['CUSTOMER#alexdebrie', '#ORDER#2026-11-22#A3'],
        'PK, SK, GSI1PK and so on are for keys alone. OrderId, Status and CreatedAt are repeated as attributes of their own, so that no code takes keys apart.',
      ),
    ],
  },
  {
    id: 'S-20',
    title: 'Put the data model at the boundary',
    steps: [
      get(
        'The application wants an order, and not its keys. Who takes them away?',
        ['CUSTOMER#alexdebrie', '#ORDER#2026-10-14#A1'],
        'The layer at the boundary: it makes keys from attributes, and hands out attributes only. Here a projection does what that layer does.',
        'OrderId, Amount, CreatedAt',
      ),
    ],
  },
  {
    id: 'S-21',
    title: 'Do not reuse attributes across indexes',
    steps: [
      query(
        'GSI1SK of an order is the same text as its GSI1PK. Why is it not one attribute for both?',
        'ORDER#A1',
        { index: 'GSI1', items: 3 },
        'Each index has attributes of its own. If two shared one, a change for the first would move the item in the second as well.',
      ),
    ],
  },
  {
    id: 'S-22',
    title: 'A Type attribute on every item',
    steps: [
      query(
        'Two kinds of items come back. How does the code tell which is which?',
        'ORDER#A1',
        { index: 'GSI1', items: 3 },
        'By Type. It needs no guess from the form of a key, and exports, streams and this page read it, too.',
      ),
    ],
  },
  {
    id: 'S-23',
    title: 'A script per access pattern',
    steps: [
      query(
        'How is one pattern tried by itself, without the application?',
        'CUSTOMER#gracehopper',
        { items: 2 },
        'By one request with its parameters, as here. The strip below gives it as code and as a command line: keep one for each pattern.',
      ),
    ],
  },
  {
    id: 'S-24',
    title: 'Short attribute names',
    steps: [
      get(
        'Names count as much as values. What do t, u and d save?',
        ['LOG#1'],
        'A few bytes of each item. That pays for billions of small items, and costs everyone who reads them. The boundary can translate.',
      ),
    ],
  },
  {
    id: 'S-25',
    title: 'A thin layer instead of an ORM',
    steps: [
      query(
        'Which object-relational mapper would make this request from two classes?',
        'CUSTOMER#alexdebrie',
        { desc: true, limit: 2, items: 2 },
        'None that thinks in tables of one class each. A thin layer has a function for each pattern, and each function one request.',
      ),
    ],
  },
  {
    id: 'S-26',
    title: 'Choose strategies pattern by pattern',
    steps: [
      get(
        'Addresses of a customer: items or an attribute?',
        ['CUSTOMER#alexdebrie'],
        'An attribute: few, and never looked for by themselves.',
        'Addresses',
      ),
      query(
        'Orders of the same customer: items or an attribute?',
        'CUSTOMER#alexdebrie',
        { sk: ['begins_with', '#ORDER#'], items: 3 },
        'Items: without a bound, and read by page. Two relationships of one parent, and two strategies.',
      ),
    ],
  },
  {
    id: 'S-81',
    title: 'Always use placeholders',
    steps: [
      refused(
        'Plan and Name are attributes of the organization. May they be written into the expression as they are?',
        'GetItem',
        { Key: { PK: { S: 'ORG#BERKSHIRE' }, SK: { S: 'ORG#BERKSHIRE' } }, ProjectionExpression: 'Name, Plan' },
        'ValidationException',
        'Name is a reserved word, and there are 572 others. With a placeholder for each name and value no word is in the way, and no input becomes a part of the expression.',
      ),
    ],
  },
];

function named(type: string): object {
  return { ExpressionAttributeNames: { '#type': 'Type' }, ExpressionAttributeValues: { ':order': { S: type } } };
}
