import { entity, model } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9]+$/);

/**
 * S-19 Application attributes and indexing attributes are separate: keys are made from values, and no value is parsed from a key.
 * S-21 Each index has its own attributes. S-22 Every item has a `Type`. S-23 Each pattern is a command of `singlet run`.
 */
export const users = model('users')
  .entities({
    User: entity({
      username: id,
      firstName: z.string(),
      lastName: z.string(),
      organization: id,
    }),
    Post: entity({ username: id, postId: id, text: z.string() }),
  })
  .relationships([['User', '1:N', 'Post']])
  .patterns({
    createUser: { creates: 'User' },
    createPost: { creates: 'Post' },
    getUser: { reads: 'User', by: ['username'], strategy: 'S-20' },
    usersOf: { reads: ['User'], by: ['organization'], limit: 25 },
    everyPost: {
      reads: ['Post'],
      accepts: { scan: 'a migration looks at all posts, once' },
      strategy: 'S-22',
    },
  })
  .tables({ Users: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    User: { Users: ['USER#{username}', 'USER#{username}'], GSI1: ['ORG#{organization}', 'USER#{username}'] },
    Post: { Users: ['USER#{username}', 'POST#{postId}'] },
  })
  .served({
    createUser: 'PutItem',
    createPost: 'PutItem',
    getUser: 'GetItem',
    usersOf: { query: 'GSI1' },
    everyPost: { scan: 'Users', because: 'posts are found by their Type' },
  });

/** S-24 Short stored names, for tables of billions of items. The application does not see them. */
export const shortNames = model('shortNames')
  .entities({
    User: entity({ username: id, firstName: z.string(), lastName: z.string(), note: z.string().optional() }),
  })
  .relationships([])
  .patterns({ create: { creates: 'User' }, user: { reads: 'User', by: ['username'], strategy: 'S-24' } })
  .tables({ Users: { key: ['PK', 'SK'] } })
  .keys(
    { User: { Users: ['USER#{username}', 'USER#{username}'] } },
    { User: { stored: { username: 'u', firstName: 'fn', lastName: 'ln' } } },
  )
  .served({ create: 'PutItem', user: 'GetItem' });

/** S-81 Names that expressions do not allow: reserved words and dots. Placeholders represent all of them. */
export const reservedWords = model('reservedWords')
  .entities({
    Book: entity(
      { Name: z.string().regex(/[a-z0-9]/i), Year: z.number(), 'a.b': z.string(), Status: z.string() },
      { same: { Name: 'slug' } },
    ),
  })
  .relationships([])
  .patterns({
    add: { creates: 'Book' },
    change: { updates: 'Book', by: ['Name'], sets: ['Year', 'a.b'], given: { Status: 'draft' }, returns: 'new' },
    book: { reads: 'Book', by: ['Name'], attributes: ['Name', 'Year', 'a.b'], strategy: 'S-81' },
  })
  .tables({ Books: { key: ['PK', 'SK'] } })
  .keys({ Book: { Books: ['BOOK#{Name:slug}', 'BOOK#{Name:slug}'] } })
  .served({ add: 'PutItem', change: 'UpdateItem', book: 'GetItem' });
