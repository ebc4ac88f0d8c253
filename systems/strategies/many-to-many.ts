import { add, entity, model } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[A-Za-z0-9]+$/);
const capitals = z.string().regex(/^[A-Z]+$/);
const capitalized = z.string().regex(/^[A-Z][a-z]+$/);

/**
 * S-33 Shallow duplication: the class has a short list of facts about its students that never change. It answers "who is in the
 * class"; "which classes has the student" needs another strategy.
 */
export const classes = model('classes')
  .entities({
    Student: entity({ username: id, name: z.string(), gpa: z.number(), graduationDate: z.iso.date().optional() }),
    Class: entity({ className: id, semester: id, students: z.array(z.string()).max(40) }),
  })
  .relationships([['Student', 'N:M', 'Class']])
  .patterns({
    enrol: { creates: 'Student' },
    open: { creates: 'Class' },
    class: { reads: 'Class', by: ['className', 'semester'], strategy: 'S-33' },
    student: { reads: 'Student', by: ['username'] },
  })
  .tables({ School: { key: ['PK', 'SK'] } })
  .keys({
    Student: { School: ['STUDENT#{username}', 'STUDENT#{username}'] },
    Class: { School: ['CLASS#{className}', 'SEMESTER#{semester}'] },
  })
  .served({ enrol: 'PutItem', open: 'PutItem', class: 'GetItem', student: 'GetItem' });

/**
 * S-34 An adjacency list: the relationship is an item, in the collection of one side and, through the index, of the other. Its own data
 * hardly change. Those of the entities may, in one place.
 * S-35 The index is inverted: the same two keys swapped, in its own attributes.
 */
export const films = model('films')
  .entities({
    Movie: entity({ movie: id, year: z.number(), genre: z.string(), receipts: z.number(), score: z.number() }),
    Actor: entity({ actor: id, upvotes: z.number(), birthDate: z.iso.date() }),
    Role: entity({ movie: id, actor: id, role: z.string() }),
    Studio: entity({ studio: id }),
  })
  .relationships([['Movie', 'N:M', 'Actor', { through: 'Role' }]])
  .patterns({
    addMovie: { creates: 'Movie' },
    addActor: { creates: 'Actor' },
    cast: { creates: 'Role' },
    addStudio: { creates: 'Studio' },
    // A vote that is sent again is counted again. P-12 counts each user once.
    upvote: { updates: 'Actor', by: ['actor'], changes: { upvotes: add(1) } },
    movieWithRoles: {
      reads: { movie: 'Movie', roles: ['Role'] },
      by: ['movie'],
      order: 'actor desc',
      limit: 50,
      strategy: 'S-34',
    },
    actorWithRoles: { reads: { actor: 'Actor', roles: ['Role'] }, by: ['actor'], limit: 50, strategy: 'S-35' },
  })
  .tables({ Films: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Movie: { Films: ['MOVIE#{movie}', 'MOVIE#{movie}'] },
    Actor: { Films: ['ACTOR#{actor}', 'ACTOR#{actor}'], GSI1: ['ACTOR#{actor}', 'ACTOR#{actor}'] },
    Role: { Films: ['MOVIE#{movie}', 'ACTOR#{actor}'], GSI1: ['ACTOR#{actor}', 'MOVIE#{movie}'] },
    Studio: { Films: ['STUDIO#{studio}', 'STUDIO#{studio}'] },
  })
  .served({
    addMovie: 'PutItem',
    addActor: 'PutItem',
    cast: 'PutItem',
    addStudio: 'PutItem',
    upvote: 'UpdateItem',
    movieWithRoles: { query: 'Films' },
    actorWithRoles: { query: 'GSI1' },
  });

/** S-35 in its simple form: the index swaps the keys of every item. Suitable if all of them are the relationship. */
export const roles = model('roles')
  .entities({ Role: entity({ actor: z.string().min(1), movie: z.string().min(1), role: z.string() }) })
  .relationships([])
  .patterns({
    cast: { creates: 'Role' },
    moviesOf: { reads: ['Role'], by: ['actor'], limit: 50 },
    actorsIn: { reads: ['Role'], by: ['movie'], limit: 50, strategy: 'S-35' },
  })
  .tables({ Roles: { key: ['actor', 'movie'], indexes: { MoviesIndex: ['movie', 'actor'] } } })
  .keys({ Role: { Roles: ['{actor}', '{movie}'], MoviesIndex: ['{movie}', '{actor}'] } })
  .served({ cast: 'PutItem', moviesOf: { query: 'Roles' }, actorsIn: { query: 'MoviesIndex' } });

const NODES = 'a node is one collection, whatever kind of thing it is';

/** S-36 A materialised graph: a node is a collection of facts, and the index regroups the facts by their targets. */
export const graph = model('graph')
  .entities({
    Person: entity({ nodeId: id, name: z.string() }),
    Event: entity({ nodeId: id, date: z.iso.date(), event: capitals }),
    Job: entity({ nodeId: id, title: capitalized, employer: z.string() }),
  })
  .relationships([
    ['Person', '1:N', 'Event'],
    ['Person', '1:N', 'Job'],
  ])
  .patterns({
    addPerson: { creates: 'Person' },
    addEvent: { creates: 'Event' },
    addJob: { creates: 'Job' },
    node: {
      reads: { person: 'Person', events: ['Event'], jobs: ['Job'] },
      by: ['nodeId'],
      unproven: 'a node is read to its end, and the person comes last',
      volume: { typical: 5, most: 100 },
      strategy: 'S-36',
    },
    eventsOn: { reads: ['Event'], by: ['date'], limit: 50, strategy: 'S-36' },
    withJob: { reads: ['Job'], by: ['title'], limit: 50, strategy: 'S-36' },
  })
  .tables({ Graph: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] }, separator: '|' } })
  .keys(
    {
      Person: { Graph: ['{nodeId}', 'PERSON|{nodeId}'], GSI1: ['PERSON|{nodeId}', 'PERSON|{nodeId}'] },
      Event: { Graph: ['{nodeId}', 'DATE|{date}|{event}'], GSI1: ['DATE|{date}', 'DATE|{date}|{event}'] },
      Job: { Graph: ['{nodeId}', 'JOB|{title}|{employer}'], GSI1: ['JOB|{title}', 'JOB|{title}|{employer}'] },
    },
    {
      Person: { accepts: { 'no-prefix': NODES } },
      Event: { accepts: { 'no-prefix': NODES } },
      Job: { accepts: { 'no-prefix': NODES } },
    },
  )
  .served({
    addPerson: 'PutItem',
    addEvent: 'PutItem',
    addJob: 'PutItem',
    node: { query: 'Graph' },
    eventsOn: { query: 'GSI1' },
    withJob: { query: 'GSI1' },
  });

/** S-37 Normalise and read twice: the displayed attributes of the others change often and would be in very many copies. */
export const followers = model('followers')
  .entities({
    User: entity({ username: id, displayName: z.string() }),
    Following: entity({ username: id, followed: id, followedAt: z.iso.datetime() }),
  })
  .relationships([['User', 'N:M', 'User', { through: 'Following' }]])
  .patterns({
    signUp: { creates: 'User' },
    rename: { updates: 'User', by: ['username'], sets: ['displayName'] },
    follow: { creates: 'Following' },
    // FOLLOWING sorts before USER: read backwards, the user comes first.
    userWithFollowing: {
      reads: { user: 'User', following: ['Following'] },
      by: ['username'],
      order: 'followed desc',
      limit: 250,
      strategy: 'S-37',
    },
    users: { reads: 'User', by: ['username'], each: true, volume: { typical: 50, most: 250 }, strategy: 'S-37' },
  })
  .tables({ Followers: { key: ['PK', 'SK'] } })
  .keys({
    User: { Followers: ['USER#{username}', 'USER#{username}'] },
    Following: { Followers: ['USER#{username}', 'FOLLOWING#{followed}'] },
  })
  .served({
    signUp: 'PutItem',
    rename: 'UpdateItem',
    follow: 'PutItem',
    userWithFollowing: { query: 'Followers' },
    users: 'BatchGetItem',
  });

/** S-37 again: a line of a cart shows the price when it was added, and checkout reads the current price. */
export const carts = model('carts')
  .entities({
    Product: entity({ productId: id, price: z.number(), stock: z.number() }),
    CartLine: entity(
      { cartId: id, productId: id, shownPrice: z.number(), quantity: z.number() },
      { duplicates: { shownPrice: { from: 'Product.price', rule: 'stream', found: 'linesWith' } } },
    ),
  })
  .relationships([['Product', '1:N', 'CartLine']])
  .patterns({
    offer: { creates: 'Product' },
    setPrice: { updates: 'Product', by: ['productId'], sets: ['price'] },
    addToCart: { puts: 'CartLine', accepts: { 'put-replaces': 'adding again replaces the line' } },
    cart: { reads: ['CartLine'], by: ['cartId'], volume: { typical: 4, most: 100 }, strategy: 'S-37' },
    linesWith: { reads: ['CartLine'], by: ['productId'], limit: 100 },
    products: { reads: 'Product', by: ['productId'], each: true, volume: { typical: 4, most: 100 } },
  })
  .tables({ Carts: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Product: { Carts: ['PRODUCT#{productId}', 'PRODUCT#{productId}'] },
    CartLine: {
      Carts: ['CART#{cartId}', 'PRODUCT#{productId}'],
      GSI1: ['PRODUCT#{productId}', 'CART#{cartId}'],
    },
  })
  .served({
    offer: 'PutItem',
    setPrice: 'UpdateItem',
    addToCart: 'PutItem',
    cart: { query: 'Carts' },
    linesWith: { query: 'GSI1' },
    products: 'BatchGetItem',
  });
