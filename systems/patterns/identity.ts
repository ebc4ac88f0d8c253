import { add, encoderNamed, entity, InputError, model, ref } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9]+$/);

/** P-09 A second unique attribute: a guard item with the owner's name, which also finds the user. */
export const uniqueUsers = model('uniqueUsers')
  .entities({
    User: entity({ username: id, email: z.email() }, { unique: ['email'], same: { email: 'lower' } }),
  })
  .relationships([])
  .patterns({
    create: { creates: 'User', strategy: 'P-09' },
    changeEmail: {
      updates: 'User',
      by: ['username'],
      sets: ['email'],
      accepts: { 'serial-requests': 'the old guard is found by the user' },
    },
    remove: {
      deletes: 'User',
      by: ['username'],
      mustExist: true,
      accepts: { 'serial-requests': 'the guard is found by the user' },
    },
    user: { reads: 'User', by: ['username'] },
  })
  .tables({ Users: { key: ['PK', 'SK'] } })
  .keys(
    { User: { Users: ['USER#{username}', 'USER#{username}'] } },
    { User: { unique: { email: { key: ['USEREMAIL#{email:lower}', 'USEREMAIL#{email:lower}'] } } } },
  )
  .served({
    create: 'TransactWriteItems',
    changeEmail: ['GetItem', 'TransactWriteItems'],
    remove: ['GetItem', 'TransactWriteItems'],
    user: 'GetItem',
  });

/** P-11 Consecutive numbers, with one item for each sequence. Whole blocks of them can be taken at once. */
export const sequences = model('sequences')
  .entities({ Sequence: entity({ sequence: id, number: z.number().default(0) }) })
  .relationships([])
  .patterns({
    next: {
      updates: 'Sequence',
      by: ['sequence'],
      orCreates: true,
      changes: { number: add(1) },
      returns: 'new',
      strategy: 'P-11',
    },
    nextBlock: {
      updates: 'Sequence',
      by: ['sequence'],
      orCreates: true,
      takes: { size: z.number().int().positive() },
      changes: { number: add(ref('size')) },
      returns: 'new',
      strategy: 'P-11',
    },
  })
  .tables({ Sequences: { key: ['PK', 'SK'] } })
  .keys({ Sequence: { Sequences: ['AUTOINCREMENT#{sequence}', 'AUTOINCREMENT#{sequence}'] } })
  .served({ next: 'UpdateItem', nextBlock: 'UpdateItem' });

/** P-12 A count that is kept by the writes. */
export const likes = model('likes')
  .entities({
    Post: entity({ post: id, likeCount: z.number().default(0) }),
    Like: entity({ post: id, user: id }),
  })
  .relationships([['Post', '1:N', 'Like', { count: 'likeCount' }]])
  .patterns({
    write: { creates: 'Post' },
    like: { creates: 'Like', strategy: 'P-12' },
    unlike: { deletes: 'Like', by: ['post', 'user'], mustExist: true, strategy: 'P-12' },
    post: { reads: 'Post', by: ['post'] },
  })
  .tables({ Posts: { key: ['PK', 'SK'] } })
  .keys({ Post: { Posts: ['POST#{post}', 'POST#{post}'] }, Like: { Posts: ['POST#{post}', 'LIKE#{user}'] } })
  .served({ write: 'PutItem', like: 'TransactWriteItems', unlike: 'TransactWriteItems', post: 'GetItem' });

/** P-29 How an encoder of a key template converts a value: `{number:07}`, `{number:tens5}`, `{name:lower}`, `{at:utc}`. */
export function inKey(encoder: string, value: string | number): string {
  const found = encoderNamed(encoder);
  if (found === undefined) throw new InputError('no-encoder', encoder, 'is not an encoder');
  return String(found.encode(value));
}
