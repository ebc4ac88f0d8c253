import { get, query, type Strategy } from '../tour-request.ts';

/** Filtering and sorting: S-39 to S-56, and the latest readings. */
export const filteringAndSorting: readonly Strategy[] = [
  {
    id: 'S-39',
    title: 'Filter with the partition key',
    steps: [
      query(
        'Which condition rules out most of this table, at no cost?',
        'SENSOR#7',
        { items: 5 },
        'The partition key: only the items of one collection are read.',
      ),
    ],
  },
  {
    id: 'S-40',
    title: 'Filter with a meaningful sort key',
    steps: [
      query(
        'You want the readings between two times. Which attribute acts as the filter?',
        'SENSOR#7',
        { sk: ['between', 'READING#2026-11-22T08:01', 'READING#2026-11-22T08:03'], items: 2 },
        'The sort key, because it is a meaningful value: the time. The reading of 08:03:00 sorts after "08:03", so it is left out.',
      ),
    ],
  },
  {
    id: 'S-41',
    title: 'Arrange types around a parent',
    steps: [
      query(
        'Issues sort before the repository, and stars after it. How do you read the repository and its stars, without the issues?',
        'REPO#singlet',
        { sk: ['>=', 'REPO#'], items: 3 },
        'Start at the repository, and read forwards.',
      ),
      query(
        'And the repository with its latest issues?',
        'REPO#singlet',
        { sk: ['<=', 'REPO#singlet'], desc: true, limit: 3, items: 3 },
        'Start at the repository, and read backwards. The prefixes place the parent between its two kinds of children.',
      ),
    ],
  },
  {
    id: 'S-42',
    title: 'Composite sort key as a filter',
    steps: [
      query(
        'Which open tickets were created in November, from the 10th on? How does one key serve both conditions?',
        'ORG#BERKSHIRE#USER#BUFFETT',
        { index: 'GSI1', sk: ['between', 'OPEN#2026-11-10', 'OPEN#2026-11-30~'], items: 1 },
        'The status comes first, because it is compared for equality, and then the date, because it is a range. This works as long as every request names the status.',
      ),
    ],
  },
  {
    id: 'S-43',
    title: 'A sparse index as a condition',
    steps: [
      query(
        'Which orders of all customers have not been sent yet? Only those have the attribute GSI2PK.',
        'PLACED',
        { index: 'GSI2', items: 2 },
        'An item without the key attributes of an index is not in the index. This one holds two of four orders: when an order is sent, the attribute is removed.',
      ),
    ],
  },
  {
    id: 'S-44',
    title: 'A sparse index of one entity type',
    steps: [
      query(
        'Only orders have GSI2PK. What else can a query of GSI2 return?',
        'PLACED',
        { index: 'GSI2', projection: 'PK, SK', items: 2 },
        'Nothing: films and customers have no such attribute. You can even scan such an index, because it holds only one type.',
      ),
    ],
  },
  {
    id: 'S-45',
    title: 'Filter expressions',
    steps: [
      query(
        'You want the readings above 24 degrees. How many are read, and how many are returned?',
        'SENSOR#7',
        { filter: 'Celsius > :limit', values: { ':limit': 24 }, items: 1 },
        'Five are read and paid for, and one is returned. A filter saves network traffic and nothing else, and the limit of 1 MB applies before it.',
      ),
    ],
  },
  {
    id: 'S-46',
    title: 'Client-side filtering',
    steps: [
      query(
        'A page shows all tickets, and can hide the closed ones. Where should it filter?',
        'ORG#BERKSHIRE#USER#BUFFETT',
        { index: 'GSI1', items: 3 },
        'In the client: it already has all tickets, and no request is faster than none. This is right for a few items that are shown anyway.',
      ),
    ],
  },
  {
    id: 'S-47',
    title: 'Choosing a filter',
    steps: [
      query(
        'Placed orders of one day: which kind of filter is this?',
        'PLACED',
        { index: 'GSI2', sk: ['begins_with', '2026-11-22'], items: 1 },
        'A sparse index with a meaningful sort key. Prefer keys. Use a filter expression if the query is rare or keeps most of the items, and the client for items that it already has.',
      ),
    ],
  },
  {
    id: 'S-48',
    title: 'Rules of sorting',
    steps: [
      query(
        'Which comes first, SCORE#10 or SCORE#9?',
        'SCORES',
        { items: 2 },
        'SCORE#10: text is compared byte by byte, and "1" is less than "9". Items are sorted by their sort key only, so the value to sort by has to be in it.',
      ),
    ],
  },
  {
    id: 'S-49',
    title: 'Lexicographic order and case',
    steps: [
      query(
        'In which order do apple, Banana and Zebra come back?',
        'TITLES',
        { items: 3 },
        'Banana, Zebra, apple: capital letters sort before small ones. Use one case for keys, and keep the original text in another attribute.',
      ),
    ],
  },
  {
    id: 'S-50',
    title: 'Timestamps',
    steps: [
      query(
        'Why are these timestamps in chronological order?',
        'SENSOR#7',
        { sk: ['begins_with', 'READING#2026-11-22T08:0'], items: 5 },
        'The year comes first, every part has leading zeros, and all are in one time zone. ISO 8601 in UTC sorts correctly as text; "22 November" does not. Seconds since 1970 sort correctly as numbers.',
      ),
    ],
  },
  {
    id: 'S-51',
    title: 'Unique sortable ids: KSUID',
    steps: [
      query(
        'Three posts have ids that look random. Which post is the oldest?',
        'FEED',
        { items: 3 },
        'The first. A KSUID begins with a timestamp in seconds and ends with random bits, so it is unique and sorts by time.',
      ),
    ],
  },
  {
    id: 'S-52',
    title: 'Sort by an attribute that changes',
    steps: [
      query(
        'When a ticket is closed, it moves within this index. Does its primary key change?',
        'ORG#BERKSHIRE#USER#BUFFETT',
        { index: 'GSI1', items: 3 },
        'No: a primary key cannot change. Sort by a changing attribute in an index: the database moves the index entry.',
      ),
    ],
  },
  {
    id: 'S-53',
    title: 'Place the parent where reading starts',
    steps: [
      query(
        'You want a customer and the newest orders first. From which end does the Query read?',
        'CUSTOMER#alexdebrie',
        { desc: true, limit: 2, items: 2 },
        'From the end, so the parent has to be last in its collection: the "#" before ORDER sorts the orders before the customer.',
      ),
    ],
  },
  {
    id: 'S-54',
    title: 'Two relationships in one collection',
    steps: [
      query(
        'How many relationships does the collection of this repository hold?',
        'REPO#singlet',
        { items: 6 },
        'Two: issues before the parent, and stars after it. A third one would need an index, because the parent has only two sides.',
      ),
    ],
  },
  {
    id: 'S-55',
    title: 'Zero-padded numbers',
    steps: [
      query(
        'Issue 10 sorts after issue 2. What makes that work?',
        'REPO#singlet',
        { sk: ['begins_with', 'ISSUE#'], items: 3 },
        'Leading zeros: all numbers have eight digits. Choose a width that is enough for the largest number you will ever have.',
      ),
    ],
  },
  {
    id: 'S-56',
    title: 'Reversed numbers',
    steps: [
      query(
        'An ascending Query returns open issues newest first, and closed ones oldest first. What is the sort key of an open issue?',
        'REPO#singlet#ISSUES',
        { index: 'GSI1', sk: ['begins_with', 'ISSUE#OPEN#'], items: 2 },
        '99999999 minus its number: issue 10 has 99999989, which sorts before issue 2.',
      ),
    ],
  },
  {
    id: 'S-85',
    title: 'Latest N readings',
    steps: [
      query(
        'You want the last two readings of a sensor. How much is read?',
        'SENSOR#7',
        { desc: true, limit: 2, items: 2 },
        'Two items, however large the collection is: the time is in the sort key, and the Query reads backwards.',
      ),
      get(
        'And the reading of one known time?',
        ['SENSOR#7', 'READING#2026-11-22T08:03:00Z'],
        'A GetItem with the full key.',
      ),
    ],
  },
];
