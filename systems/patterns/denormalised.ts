import { entity, model, ref } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9_]+$/);

/** P-01 A complex attribute: all of an entity in one item. Suitable as long as no pattern searches for a part of it and it stays small. */
export const userAddresses = model('userAddresses')
  .entities({
    User: entity(
      {
        email: z.email(),
        name: z.string(),
        address: z.object({ street: z.string(), city: z.string(), state: z.string(), zip: z.string() }),
      },
      { same: { email: 'lower' } },
    ),
  })
  .relationships([])
  .patterns({
    signUp: { creates: 'User' },
    user: { reads: 'User', by: ['email'], strategy: 'P-01' },
    moveWithin: {
      updates: 'User',
      by: ['email'],
      takes: { city: z.string() },
      changes: { 'address.city': ref('city') },
    },
  })
  .tables({ Users: { key: ['PK', 'SK'] } })
  .keys({ User: { Users: ['USER#{email:lower}', 'USER#{email:lower}'] } })
  .served({ signUp: 'PutItem', user: 'GetItem', moveWithin: 'UpdateItem' });

/** P-02 The author's name is on the book. It never changes, so the copy costs nothing. */
export const books = model('books')
  .entities({
    Author: entity({ authorId: id, author: z.string() }),
    Book: entity(
      { urlName: id, name: z.string(), authorId: id, author: z.string() },
      { duplicates: { author: { from: 'Author.author', rule: 'immutable' } } },
    ),
  })
  .relationships([['Author', '1:N', 'Book']])
  .patterns({
    addAuthor: { creates: 'Author' },
    publish: { creates: 'Book' },
    book: { reads: 'Book', by: ['urlName'], strategy: 'P-02' },
  })
  .tables({ Books: { key: ['PK', 'SK'] } })
  .keys({
    Author: { Books: ['AUTHOR#{authorId}', 'AUTHOR#{authorId}'] },
    Book: { Books: ['BOOK#{urlName}', 'BOOK#{urlName}'] },
  })
  .served({ addAuthor: 'PutItem', publish: 'PutItem', book: 'GetItem' });

/** P-42 Shallow duplication: a class has the ids and names of its students; further attributes are read by the id. */
export const classLists = model('classLists')
  .entities({
    Class: entity(
      { class: id, students: z.array(z.object({ student: id, name: z.string() })).max(40) },
      { duplicates: { students: { from: 'Student.name', rule: 'immutable' } } },
    ),
    Student: entity({ student: id, name: z.string(), gpa: z.number() }),
  })
  .relationships([['Class', 'N:M', 'Student']])
  .patterns({
    open: { creates: 'Class' },
    enrol: { creates: 'Student' },
    class: { reads: 'Class', by: ['class'], strategy: 'P-42' },
    student: { reads: 'Student', by: ['student'] },
  })
  .tables({ School: { key: ['PK', 'SK'] } })
  .keys({
    Class: { School: ['CLASS#{class}', 'CLASS#{class}'] },
    Student: { School: ['STUDENT#{student}', 'STUDENT#{student}'] },
  })
  .served({ open: 'PutItem', enrol: 'PutItem', class: 'GetItem', student: 'GetItem' });
