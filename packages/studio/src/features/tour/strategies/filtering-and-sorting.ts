import { get, query, type Strategy } from '../tour-request.ts';

/** Filtering and sorting: S-39 to S-56, and the latest readings. */
export const filteringAndSorting: readonly Strategy[] = [
  {
    id: 'S-39',
    title: 'Filter with the partition key',
    steps: [
      query(
        'Which condition leaves out most of this table, at no cost?',
        'SENSOR#7',
        { items: 5 },
        'The partition key: of all items only those of one collection are looked at.',
      ),
    ],
  },
  {
    id: 'S-40',
    title: 'Filter with an inherently meaningful sort key',
    steps: [
      query(
        'Readings between two minutes. Which attribute is the filter?',
        'SENSOR#7',
        { sk: ['between', 'READING#2026-11-22T08:01', 'READING#2026-11-22T08:03'], items: 2 },
        'The sort key itself: the time means something to the reader. The reading of 08:03:00 sorts behind "08:03", and so is left out.',
      ),
    ],
  },
  {
    id: 'S-41',
    title: 'Filter by arrangement of types around a parent',
    steps: [
      query(
        'Issues sort before the repository, stars behind it. How are the repository and its stars read, without the issues?',
        'REPO#singlet',
        { sk: ['>=', 'REPO#'], items: 3 },
        'From the repository on, forwards.',
      ),
      query(
        'And the repository with its newest issues?',
        'REPO#singlet',
        { sk: ['<=', 'REPO#singlet'], desc: true, limit: 3, items: 3 },
        'From the repository on, backwards. The prefixes place the parent between its children.',
      ),
    ],
  },
  {
    id: 'S-42',
    title: 'Composite sort key filter',
    steps: [
      query(
        'Open tickets of November after the tenth. Two conditions, one of them a range: how are both in the key?',
        'ORG#BERKSHIRE#USER#BUFFETT',
        { index: 'GSI1', sk: ['between', 'OPEN#2026-11-10', 'OPEN#2026-11-30~'], items: 1 },
        'Status first, then the date: equality comes before the range. It works because status is always given.',
      ),
    ],
  },
  {
    id: 'S-43',
    title: 'Sparse index as a condition filter within a type',
    steps: [
      query(
        'Which orders are still to be sent, of all customers? They have GSI2PK; delivered ones have not.',
        'PLACED',
        { index: 'GSI2', items: 2 },
        'An item without the key of an index is not in it. The index holds two of four orders, and the attribute is removed when an order is sent.',
      ),
    ],
  },
  {
    id: 'S-44',
    title: 'Sparse index that holds one entity type',
    steps: [
      query(
        'Only orders ever get GSI2PK. What else may come back from GSI2?',
        'PLACED',
        { index: 'GSI2', projection: 'PK, SK', items: 2 },
        'Nothing else: films and customers have no such attribute. Such an index may even be scanned, since it has one kind only.',
      ),
    ],
  },
  {
    id: 'S-45',
    title: 'Filter expressions',
    steps: [
      query(
        'Readings above 24 degrees. How many are read, and how many come back?',
        'SENSOR#7',
        { filter: 'Celsius > :limit', values: { ':limit': 24 }, items: 1 },
        'Five are read and paid for, one comes back. A filter saves the way over the network, and nothing else; the limit of 1 MB counts before it.',
      ),
    ],
  },
  {
    id: 'S-46',
    title: 'Client-side filtering',
    steps: [
      query(
        'A page shows all tickets, and lets its reader hide closed ones. Who filters?',
        'ORG#BERKSHIRE#USER#BUFFETT',
        { index: 'GSI1', items: 3 },
        'The page: it has them all, and no request is faster than none. Right for few items that are shown anyway.',
      ),
    ],
  },
  {
    id: 'S-47',
    title: 'Choosing a filter',
    steps: [
      query(
        'Placed orders by day: which of the filters is this?',
        'PLACED',
        { index: 'GSI2', sk: ['begins_with', '2026-11-22'], items: 1 },
        'A sparse index with a meaningful sort key. Keys first; a filter expression for what is seldom or leaves most of the items; the client for what it has.',
      ),
    ],
  },
  {
    id: 'S-48',
    title: 'Rules of sorting',
    steps: [
      query(
        'SCORE#10 and SCORE#9: which comes first?',
        'SCORES',
        { items: 2 },
        'SCORE#10: text is compared byte by byte, and "1" is before "9". What is to be sorted is in the sort key, and nothing sorts afterwards.',
      ),
    ],
  },
  {
    id: 'S-49',
    title: 'Lexicographic order and case',
    steps: [
      query(
        'apple, Banana, Zebra: in which order do they come?',
        'TITLES',
        { items: 3 },
        'Banana, Zebra, apple: capitals are before small letters. Write keys in one case, and keep the text as people wrote it in an attribute of its own.',
      ),
    ],
  },
  {
    id: 'S-50',
    title: 'Timestamps',
    steps: [
      query(
        'Why do these times sort as time goes by?',
        'SENSOR#7',
        { sk: ['begins_with', 'READING#2026-11-22T08:0'], items: 5 },
        'Year first, everything with leading zeros, one zone. ISO 8601 in UTC sorts as text; "22 November" does not. Seconds since 1970 do as numbers.',
      ),
    ],
  },
  {
    id: 'S-51',
    title: 'Unique sortable ids: KSUID',
    steps: [
      query(
        'Three posts with ids that look random. Which is the oldest?',
        'FEED',
        { items: 3 },
        'The first: a KSUID begins with the second in which it was made, and ends in chance. It is unique, and sorts by time.',
      ),
    ],
  },
  {
    id: 'S-52',
    title: 'Sorting on a changing attribute',
    steps: [
      query(
        'A ticket that is closed has another place in this index. Does its primary key change?',
        'ORG#BERKSHIRE#USER#BUFFETT',
        { index: 'GSI1', items: 3 },
        'No: primary keys cannot change. What changes sorts in an index, whose entry the database moves.',
      ),
    ],
  },
  {
    id: 'S-53',
    title: 'Ascending or descending: place the parent',
    steps: [
      query(
        'A customer with the newest orders first: from which end does the Query read?',
        'CUSTOMER#alexdebrie',
        { desc: true, limit: 2, items: 2 },
        'From the last. So the parent has to be last: the "#" before ORDER puts the orders before the customer.',
      ),
    ],
  },
  {
    id: 'S-54',
    title: 'Two relationships in one collection',
    steps: [
      query(
        'How many relationships does this repository keep in its collection?',
        'REPO#singlet',
        { items: 6 },
        'Two: issues before it, stars behind it. A third would need an index, since only two can be next to the parent.',
      ),
    ],
  },
  {
    id: 'S-55',
    title: 'Zero-padding numbers in string keys',
    steps: [
      query(
        'Issue 10 comes after issue 2. Which trick does it?',
        'REPO#singlet',
        { sk: ['begins_with', 'ISSUE#'], items: 3 },
        'Leading zeros: all numbers have eight digits. Choose the width for the largest number that there will ever be.',
      ),
    ],
  },
  {
    id: 'S-56',
    title: 'Faking ascending order: zero-padded difference',
    steps: [
      query(
        'Open issues newest first, closed ones oldest first, by one Query forwards. What is stored for an open one?',
        'REPO#singlet#ISSUES',
        { index: 'GSI1', sk: ['begins_with', 'ISSUE#OPEN#'], items: 2 },
        'The difference of its number to 99999999: issue 10 has 99999989, and is before issue 2.',
      ),
    ],
  },
  {
    id: 'S-85',
    title: 'Latest N readings',
    steps: [
      query(
        'The last two readings of a sensor. What is read?',
        'SENSOR#7',
        { desc: true, limit: 2, items: 2 },
        'Two items, however long the collection is: the time is in the sort key, and the Query reads backwards.',
      ),
      get('And the sensor at one known minute?', ['SENSOR#7', 'READING#2026-11-22T08:03:00Z'], 'The same key, whole.'),
    ],
  },
];
