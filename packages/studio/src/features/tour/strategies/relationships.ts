import { batchGet, get, query, type Strategy } from '../tour-request.ts';

/** One to many, and many to many: S-27 to S-38. */
export const relationships: readonly Strategy[] = [
  {
    id: 'S-27',
    title: 'Complex attribute on the parent',
    steps: [
      get(
        'A customer has a few addresses. How many items are read to show them?',
        ['CUSTOMER#alexdebrie'],
        'One. A map on the parent is right while there are few, bounded in number, and no pattern looks for a customer by address. An item ends at 400 KB.',
      ),
    ],
  },
  {
    id: 'S-28',
    title: 'Duplicate parent data on the children',
    steps: [
      query(
        'The page of a book shows when its author was born. Is the author read as well?',
        'BOOK#Umberto Eco',
        { sk: ['=', 'Baudolino'], items: 1 },
        'No: the date is on the book. It never changes, so that no copy has to follow.',
      ),
    ],
  },
  {
    id: 'S-29',
    title: 'Composite primary key + Query',
    steps: [
      query(
        'The organization and its users share one partition key. What does one Query bring?',
        'ORG#BERKSHIRE',
        { items: 4 },
        'Both: the organization first, since "ORG" sorts before "USER". Parent and children by one request: the usual way.',
      ),
      query(
        'Only the users. Which condition leaves the organization out, without a filter?',
        'ORG#BERKSHIRE',
        { sk: ['begins_with', 'USER#'], items: 3 },
        'What the sort key begins with. Three items are read and three come back.',
      ),
      get(
        'And one user, of whom both names are known?',
        ['ORG#BERKSHIRE', 'USER#MUNGER'],
        'A GetItem by the whole key. Three patterns, one design of keys, and no index.',
      ),
    ],
  },
  {
    id: 'S-30',
    title: 'Secondary index + Query',
    steps: [
      get(
        'A ticket is found by its id. In which collection does it have to be for that?',
        ['TICKET#T3'],
        'In one of its own, with the id in the key.',
      ),
      query(
        'And all tickets of a user?',
        'ORG#BERKSHIRE#USER#BUFFETT',
        { index: 'GSI1', items: 3 },
        'In GSI1 they are grouped a second time. It is for the level below: in the collection of the organization, tickets would come between its users.',
      ),
    ],
  },
  {
    id: 'S-31',
    title: 'Composite sort key for hierarchies',
    steps: [
      query(
        'The sort key is state, city, zip, in this order. Which stores are in Nebraska?',
        'COUNTRY#USA',
        { sk: ['begins_with', 'STATE#NE#'], items: 3 },
        'Those whose key begins with that state: neighbours in the order of bytes.',
      ),
      query(
        'And in Omaha?',
        'COUNTRY#USA',
        { sk: ['begins_with', 'STATE#NE#CITY#OMAHA#'], items: 2 },
        'The same key, one level further. Each level of a hierarchy is a longer beginning. A zip alone, without its state, cannot be asked for.',
      ),
    ],
  },
  {
    id: 'S-32',
    title: 'Choosing a one-to-many strategy',
    steps: [
      query(
        'Orders without a bound, read newest first, with their customer. Which of the strategies is this?',
        'CUSTOMER#alexdebrie',
        { desc: true, items: 4 },
        'Primary key and Query (S-29). Few and never asked for: an attribute. Never changing parent: copies. One level more: an index. A path of levels: a composite sort key.',
      ),
    ],
  },
  {
    id: 'S-33',
    title: 'Shallow duplication',
    steps: [
      get(
        'A class shows the names of its students and nothing more. How many items are read?',
        ['CLASS#DB101'],
        'One: the names are kept on the class. Who wants more of a student reads the student.',
      ),
    ],
  },
  {
    id: 'S-34',
    title: 'Adjacency list',
    steps: [
      query(
        'Films and actors: many to many. Who plays in Toy Story?',
        'MOVIE#Toy Story',
        { sk: ['begins_with', 'ACTOR#'], items: 2 },
        'Each role is an item of its own below the film.',
      ),
      query(
        'And in which films does Tom Hanks play?',
        'ACTOR#Tom Hanks',
        { index: 'GSI1', sk: ['begins_with', 'MOVIE#'], items: 2 },
        'The same roles in the index, where the actor is the partition. The relationship has attributes: the character.',
      ),
    ],
  },
  {
    id: 'S-35',
    title: 'Inverted index',
    steps: [
      get(
        'A role has PK and SK. What does its entry in GSI1 have?',
        ['MOVIE#Cast Away', 'ACTOR#Tom Hanks'],
        "The same two, exchanged: GSI1PK is the actor, GSI1SK the film. An index whose key is the table's, turned round, reads a relationship from its other end.",
      ),
    ],
  },
  {
    id: 'S-36',
    title: 'Materialised graph',
    steps: [
      query(
        'A node and what is known about it: how many items?',
        'NODE#1',
        { items: 3 },
        'The node and one item for each edge, each named by what it leads to.',
      ),
      query(
        'Who else lives in Omaha?',
        'PLACE#Omaha',
        { index: 'GSI1', items: 2 },
        'The index turns edges round: from the place to the persons. Edges of any kind, without a new index.',
      ),
    ],
  },
  {
    id: 'S-37',
    title: 'Normalise and make several requests',
    steps: [
      query(
        'Whom does Ada follow? And are their names here?',
        'PROFILE#ada',
        { sk: ['begins_with', 'FOLLOWS#'], items: 2 },
        'Only who they are. Names change, and copies in a million lists could not follow.',
      ),
      batchGet(
        'Which second request brings the names?',
        [['PROFILE#grace'], ['PROFILE#linus']],
        'A BatchGetItem of the profiles. Two requests, on purpose: right where what is shown changes often and is in many places.',
      ),
    ],
  },
  {
    id: 'S-38',
    title: 'Choosing a many-to-many strategy',
    steps: [
      query(
        'The role has an attribute, the character, and is read from both ends. Which strategy is it?',
        'ACTOR#Tom Hanks',
        { index: 'GSI1', items: 3 },
        'An adjacency list with an inverted index. Names only: shallow duplication. Many kinds of edges: a graph. What changes often: normalise.',
      ),
    ],
  },
];
