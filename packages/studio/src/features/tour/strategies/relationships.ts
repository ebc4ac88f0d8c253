import { batchGet, get, query, type Strategy } from '../tour-request.ts';

/** One to many, and many to many: S-27 to S-38. */
export const relationships: readonly Strategy[] = [
  {
    id: 'S-27',
    title: 'Complex attribute on the parent',
    steps: [
      get(
        'A customer has a few addresses. How many items does it take to read them?',
        ['CUSTOMER#alexdebrie'],
        'One. A map on the parent works as long as there are only a few addresses and no pattern finds a customer by address. An item can hold at most 400 KB.',
      ),
    ],
  },
  {
    id: 'S-28',
    title: 'Duplicate parent data on the children',
    steps: [
      query(
        'The page of a book shows when its author was born. Does it have to read the author, too?',
        'BOOK#Umberto Eco',
        { sk: ['=', 'Baudolino'], items: 1 },
        'No: the book has a copy of the date. A date of birth never changes, so the copies never have to be updated.',
      ),
    ],
  },
  {
    id: 'S-29',
    title: 'Composite primary key and Query',
    steps: [
      query(
        'An organization and its users share one partition key. What does one Query return?',
        'ORG#BERKSHIRE',
        { items: 4 },
        'The organization first, because "ORG" sorts before "USER", and then its users. One request returns the parent with its children. This is the usual way.',
      ),
      query(
        'Now only the users. Which condition leaves out the organization, without a filter?',
        'ORG#BERKSHIRE',
        { sk: ['begins_with', 'USER#'], items: 3 },
        'A prefix of the sort key. Three items are read, and three are returned.',
      ),
      get(
        'And a single user, when the organization and the username are known?',
        ['ORG#BERKSHIRE', 'USER#MUNGER'],
        'A GetItem with the full key. One key design serves three patterns, and needs no index.',
      ),
    ],
  },
  {
    id: 'S-30',
    title: 'Secondary index and Query',
    steps: [
      get(
        'A ticket is found by its id. Which collection does that put it in?',
        ['TICKET#T3'],
        'A collection of its own, with the id in the key.',
      ),
      query(
        'And how do you read all tickets of a user?',
        'ORG#BERKSHIRE#USER#BUFFETT',
        { index: 'GSI1', items: 3 },
        'GSI1 groups them a second time, by user. Use an index for the next level of a hierarchy: in the collection of the organization, tickets would sort between its users.',
      ),
    ],
  },
  {
    id: 'S-31',
    title: 'Composite sort key for hierarchies',
    steps: [
      query(
        'The sort key is made of state, city and zip code, in this order. Which stores are in Nebraska?',
        'COUNTRY#USA',
        { sk: ['begins_with', 'STATE#NE#'], items: 3 },
        'Those whose sort key begins with that state. They are next to each other, because keys are sorted byte by byte.',
      ),
      query(
        'And in Omaha?',
        'COUNTRY#USA',
        { sk: ['begins_with', 'STATE#NE#CITY#OMAHA#'], items: 2 },
        'The same key, with a longer prefix: one for each level of the hierarchy. You cannot query by zip code alone, without state and city.',
      ),
    ],
  },
  {
    id: 'S-32',
    title: 'Choosing a one-to-many strategy',
    steps: [
      query(
        'An unbounded number of orders, read newest first, together with their customer. Which strategy is this?',
        'CUSTOMER#alexdebrie',
        { desc: true, items: 4 },
        'Primary key and Query (S-29). Use an attribute for a few children that are never queried, copies if the parent never changes, an index for one more level, and a composite sort key for a deep hierarchy.',
      ),
    ],
  },
  {
    id: 'S-33',
    title: 'Shallow duplication',
    steps: [
      get(
        'A class shows the names of its students and nothing else. How many items are read?',
        ['CLASS#DB101'],
        'One: the class has a copy of the names. For anything else about a student, read the student.',
      ),
    ],
  },
  {
    id: 'S-34',
    title: 'Adjacency list',
    steps: [
      query(
        'Films and actors are a many-to-many relationship. Who plays in Toy Story?',
        'MOVIE#Toy Story',
        { sk: ['begins_with', 'ACTOR#'], items: 2 },
        'Each role is an item in the collection of the film.',
      ),
      query(
        'And which films does Tom Hanks play in?',
        'ACTOR#Tom Hanks',
        { index: 'GSI1', sk: ['begins_with', 'MOVIE#'], items: 2 },
        'The index holds the same roles, grouped by actor. A relationship can have attributes, such as the character.',
      ),
    ],
  },
  {
    id: 'S-35',
    title: 'Inverted index',
    steps: [
      get(
        'A role has a PK and an SK. What is its key in GSI1?',
        ['MOVIE#Cast Away', 'ACTOR#Tom Hanks'],
        'The same two values, swapped: GSI1PK is the actor, GSI1SK the film. An index that swaps the keys of the table reads a relationship from its other end.',
      ),
    ],
  },
  {
    id: 'S-36',
    title: 'Materialised graph',
    steps: [
      query(
        'How many items are a node and everything that is known about it?',
        'NODE#1',
        { items: 3 },
        'Three: the node itself, and one item for each edge, named after what it leads to.',
      ),
      query(
        'Who else lives in Omaha?',
        'PLACE#Omaha',
        { index: 'GSI1', items: 2 },
        'The index reverses the edges: from the place to the people. It serves edges of every kind, so a new kind needs no new index.',
      ),
    ],
  },
  {
    id: 'S-37',
    title: 'Normalise and make several requests',
    steps: [
      query(
        'Whom does Ada follow, and are their names here?',
        'PROFILE#ada',
        { sk: ['begins_with', 'FOLLOWS#'], items: 2 },
        'Only their ids. Names change, and copies in a million lists would be too many to update.',
      ),
      batchGet(
        'Which second request returns the names?',
        [['PROFILE#grace'], ['PROFILE#linus']],
        'A BatchGetItem for the profiles. Two requests are the right choice for data that changes often and is shown in many places.',
      ),
    ],
  },
  {
    id: 'S-38',
    title: 'Choosing a many-to-many strategy',
    steps: [
      query(
        'A role has an attribute, the character, and is read from both ends. Which strategy is this?',
        'ACTOR#Tom Hanks',
        { index: 'GSI1', items: 3 },
        'An adjacency list with an inverted index. Use shallow duplication if only names are shown, a graph for many kinds of edges, and normalise what changes often.',
      ),
    ],
  },
];
