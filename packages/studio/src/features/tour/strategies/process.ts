import { batchGet, describe, get, query, refused, scan, type Strategy } from '../tour-request.ts';

/** From the application to the keys: S-01 to S-26. */
export const process: readonly Strategy[] = [
  {
    id: 'S-01',
    title: 'The modelling process',
    steps: [
      query(
        'A page shows a customer with the newest orders. Which request serves it, if the keys were designed for this page?',
        'CUSTOMER#alexdebrie',
        { desc: true, limit: 3, items: 3 },
        'One Query that reads backwards: it returns the customer first, then the newest orders. Write down the access patterns first, and then design the keys for them.',
      ),
    ],
  },
  {
    id: 'S-02',
    title: 'Entity-relationship diagram',
    steps: [
      query(
        'The diagram says that a customer has many orders. Where in the table is the line between the two boxes?',
        'CUSTOMER#alexdebrie',
        { items: 4 },
        'In the partition key, which parent and children share. Draw the boxes and lines first. For each line, you then choose one of a few strategies.',
      ),
    ],
  },
  {
    id: 'S-03',
    title: 'Access pattern chart',
    steps: [
      query(
        'The chart has a row "open tickets of a user", with parameters. Which parts of the request are parameters?',
        'ORG#BERKSHIRE#USER#BUFFETT',
        { index: 'GSI1', sk: ['begins_with', 'OPEN#'], items: 2 },
        'Organization, user and status. The key contains what the client knows. A row of the chart without such a request is not served yet.',
      ),
    ],
  },
  {
    id: 'S-04',
    title: 'Entity chart',
    steps: [
      batchGet(
        'The chart has a row for the key of each entity. What do the keys of these three have in common?',
        [['CUSTOMER#alexdebrie'], ['MOVIE#Toy Story'], ['REPO#singlet']],
        'A prefix that names the entity, followed by the value that identifies it. The chart has one such template for each entity and each index.',
      ),
    ],
  },
  {
    id: 'S-05',
    title: 'Simple or composite primary key',
    steps: [
      get(
        'A session is found by its token alone. Does that need a sort key?',
        ['SESSION#t2'],
        'No: one value that identifies one item makes a simple key. This table has a sort key for its other entities, so a session repeats its key there.',
      ),
      query(
        'And the readings of a sensor?',
        'SENSOR#7',
        { items: 5 },
        'Many items are read together, in order. That needs a composite key: the partition key says which sensor, and the sort key says in which order.',
      ),
    ],
  },
  {
    id: 'S-06',
    title: 'Primary key design principles',
    steps: [
      get(
        'The client knows a username from the URL of the page. Which key can it build from that?',
        ['CUSTOMER#gracehopper'],
        'One that consists of the username. With the time of creation in the key, only clients that know the time could read the item.',
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
        'No: the prefixes keep them apart. Without them, both would have the key BERKSHIRE, and the second write would replace the first.',
      ),
    ],
  },
  {
    id: 'S-08',
    title: 'Table first, then indexes and streams',
    steps: [
      query(
        'The table groups orders by customer. How do you find the lines of one order, each of which is an item?',
        'ORDER#A3',
        { index: 'GSI1', items: 4 },
        'In GSI1, where an order and its lines have the same partition key. The same index serves orders, tickets and films: it is overloaded.',
      ),
    ],
  },
  {
    id: 'S-09',
    title: 'No joins, not even in application code',
    steps: [
      query(
        'A customer with orders would be a join in SQL. How many requests does it take here?',
        'CUSTOMER#alexdebrie',
        { items: 4 },
        'One: they were joined by their key when they were written. Reading the customer and then the orders would be a join in the application. It takes two round trips, and data can change between them.',
      ),
    ],
  },
  {
    id: 'S-10',
    title: 'Denormalise knowingly',
    steps: [
      query(
        "Every book has a copy of its author's date of birth. What if the date was wrong?",
        'BOOK#Umberto Eco',
        { items: 2 },
        'Every copy has to be corrected. Copy only what does not change, or what an access pattern can find and rewrite.',
      ),
    ],
  },
  {
    id: 'S-11',
    title: 'Several entity types in one table',
    steps: [
      scan(
        'Which types of items does this table hold?',
        { Limit: 20 },
        20,
        'Many: customers, films, sensors. A table knows keys, but no entity types.',
      ),
    ],
  },
  {
    id: 'S-12',
    title: 'Filtering is part of the key design',
    steps: [
      query(
        'A filter selects the delivered orders of a customer. How many items are read?',
        'CUSTOMER#alexdebrie',
        {
          filter: '#status = :status',
          names: { '#status': 'Status' },
          values: { ':status': 'DELIVERED' },
          items: 1,
        },
        'All four, and one is returned. You pay for what is read, so what you often search by belongs in the key.',
      ),
      query(
        'Tickets have their status in the sort key. How many items are read here?',
        'ORG#BERKSHIRE#USER#BUFFETT',
        { index: 'GSI1', sk: ['begins_with', 'CLOSED#'], items: 1 },
        'One, and it is returned.',
      ),
    ],
  },
  {
    id: 'S-13',
    title: 'Key and index overloading',
    steps: [
      query(
        'GSI1 is not named after an entity. What does it hold for an actor?',
        'ACTOR#Tom Hanks',
        { index: 'GSI1', items: 3 },
        'The actor and the roles. For an order it holds the lines, for a user the tickets. The same two attributes have a different meaning for each entity.',
      ),
    ],
  },
  {
    id: 'S-14',
    title: 'Pre-join items into collections',
    steps: [
      query(
        'Where does the customer sort, before or after the orders?',
        'CUSTOMER#alexdebrie',
        { items: 4 },
        'After them, because "#" sorts before "C". So a descending Query returns the customer first, and then the newest orders. The prefix was chosen for that.',
      ),
    ],
  },
  {
    id: 'S-15',
    title: 'Benefits and costs of a single table',
    steps: [
      query(
        'What is the benefit, in round trips and read units?',
        'CUSTOMER#alexdebrie',
        { desc: true, items: 4 },
        'One round trip and half a read unit for four items. The price is a model to learn, and work for each new pattern. Write down the decision and the reasons.',
      ),
    ],
  },
  {
    id: 'S-16',
    title: 'Several tables, where agility matters more',
    steps: [
      describe(
        'Which settings do all entities of a table have to share?',
        'DescribeTable',
        'Key attributes, capacity mode, stream, backups and time to live. If patterns are not known yet, or latency does not matter, several simple tables are easier to change.',
      ),
    ],
  },
  {
    id: 'S-17',
    title: 'GraphQL and single-table design',
    steps: [
      get(
        'A resolver reads the customer only, because orders have their own resolver. What is the benefit of the shared key?',
        ['CUSTOMER#alexdebrie'],
        'None: it takes two requests, as with two tables. With separate resolvers, either look ahead at the requested fields, or use simple tables.',
      ),
    ],
  },
  {
    id: 'S-18',
    title: 'Plan the analytics export',
    steps: [
      scan(
        'How much was sold each day? Which key answers that?',
        { FilterExpression: '#type = :order', ...named('Order') },
        4,
        'None: this scan reads the whole table. Answer such questions from an export. It needs a type attribute on each item to tell entities apart.',
      ),
    ],
  },
  {
    id: 'S-19',
    title: 'Separate application and indexing attributes',
    steps: [
      get(
        'Which attributes of this order belong to the application, and which to the indexes?',
        ['CUSTOMER#alexdebrie', '#ORDER#2026-11-22#A3'],
        'PK, SK, GSI1PK and so on are for keys only. OrderId, Status and CreatedAt are attributes of the application, so that no code has to parse keys.',
      ),
    ],
  },
  {
    id: 'S-20',
    title: 'Put the data model at the boundary',
    steps: [
      get(
        'The application wants an order without its keys. Which part of the code removes them?',
        ['CUSTOMER#alexdebrie', '#ORDER#2026-10-14#A1'],
        'The layer at the boundary: it builds keys from attributes, and returns only attributes. Here, a projection has the same effect.',
        'OrderId, Amount, CreatedAt',
      ),
    ],
  },
  {
    id: 'S-21',
    title: 'Do not reuse attributes across indexes',
    steps: [
      query(
        'GSI1SK of an order has the same value as GSI1PK. Why not use one attribute for both?',
        'ORDER#A1',
        { index: 'GSI1', items: 3 },
        'Each key of each index has its own attribute. If two shared one, a change for the first would also move the item in the second.',
      ),
    ],
  },
  {
    id: 'S-22',
    title: 'A Type attribute on every item',
    steps: [
      query(
        'The result has two types of items. How does the code tell them apart?',
        'ORDER#A1',
        { index: 'GSI1', items: 3 },
        'By the Type attribute. Code does not have to guess from keys, and exports, streams and this page use it, too.',
      ),
    ],
  },
  {
    id: 'S-23',
    title: 'A script per access pattern',
    steps: [
      query(
        'How do you try one access pattern without the application?',
        'CUSTOMER#gracehopper',
        { items: 2 },
        'With one request and its parameters, as here. The strip below shows it as code and as a command line. Keep a script for each pattern.',
      ),
    ],
  },
  {
    id: 'S-24',
    title: 'Short attribute names',
    steps: [
      get(
        'Attribute names count towards the size of an item. How much do t, u and d save?',
        ['LOG#1'],
        'A few bytes per item. That pays off for billions of small items, but makes them harder to read. The code at the boundary can translate the names.',
      ),
    ],
  },
  {
    id: 'S-25',
    title: 'A thin layer instead of an ORM',
    steps: [
      query(
        'Which object-relational mapper would send this request for two classes?',
        'CUSTOMER#alexdebrie',
        { desc: true, limit: 2, items: 2 },
        'None that maps one class to one table. A thin layer has a function for each pattern, and each function sends one request.',
      ),
    ],
  },
  {
    id: 'S-26',
    title: 'Choose strategies pattern by pattern',
    steps: [
      get(
        'Should the addresses of a customer be items, or an attribute?',
        ['CUSTOMER#alexdebrie'],
        'An attribute: there are only a few, and they are never searched for.',
        'Addresses',
      ),
      query(
        'Should the orders of the same customer be items, or an attribute?',
        'CUSTOMER#alexdebrie',
        { sk: ['begins_with', '#ORDER#'], items: 3 },
        'Items: their number is unbounded, and they are read in pages. Two relationships of one parent can have two strategies.',
      ),
    ],
  },
  {
    id: 'S-81',
    title: 'Always use placeholders',
    steps: [
      refused(
        'Plan and Name are attributes of the organization. Can an expression use these names directly?',
        'GetItem',
        { Key: { PK: { S: 'ORG#BERKSHIRE' }, SK: { S: 'ORG#BERKSHIRE' } }, ProjectionExpression: 'Name, Plan' },
        'ValidationException',
        'No: Name is one of 573 reserved words. With a placeholder for each name and value, no reserved word causes an error, and no input becomes part of an expression.',
      ),
    ],
  },
];

function named(type: string): object {
  return { ExpressionAttributeNames: { '#type': 'Type' }, ExpressionAttributeValues: { ':order': { S: type } } };
}
