import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { connect, entity } from '@singlet/model';
import { check } from '@singlet/model/check';
import { expect, test } from 'vitest';
import { openExample } from '../testing/example-database.ts';
import { books, classLists, userAddresses } from './denormalised.ts';

const errors = (model: Parameters<typeof check>[0]): readonly string[] =>
  check(model).findings.flatMap(({ level, code }) => (level === 'error' ? [code] : []));

test('P-01 an address is read with its user and changed in part; an item cannot exceed 400 KB', async () => {
  const { client } = await openExample(userAddresses);
  const db = connect(userAddresses, { client });
  const jake = { street: '1 Main Street', city: 'Syracuse', state: 'NY', zip: '03202' };
  await db.signUp({ email: 'jake@gmail.com', name: 'Jake Doug', address: jake });
  await db.signUp({
    email: 'milo@gmail.com',
    name: 'Milo Nick',
    address: { ...jake, city: 'Dayton', state: 'TN', zip: '37321' },
  });
  expect((await db.user({ email: 'jake@gmail.com' }))?.address).toEqual(jake); // .a, and .d: 0 leads the zip
  await db.moveWithin({ email: 'jake@gmail.com', city: 'Utica' });
  expect((await db.user({ email: 'jake@gmail.com' }))?.address).toEqual({ ...jake, city: 'Utica' }); // .b

  const key = { PK: { S: 'A' }, SK: { S: 'A' } };
  const room = 400 * 1024 - 'PKASKAtext'.length;
  const put = async (bytes: number) =>
    await client.send(new PutItemCommand({ TableName: 'Users', Item: { ...key, text: { S: 'x'.repeat(bytes) } } }));
  await put(room);
  await expect(put(room + 1)).rejects.toMatchObject({ name: 'ValidationException' }); // .c
});

test('P-02 a book has its author; a copy that changes needs a rule', async () => {
  const { client, operations } = await openExample(books);
  const db = connect(books, { client });
  await db.addAuthor({ authorId: 'shakespeare', author: 'William Shakespeare' });
  await db.addAuthor({ authorId: 'tolstoy', author: 'Leo Tolstoy' });
  for (const [urlName, name, authorId, author] of [
    ['hamlet', 'Hamlet', 'shakespeare', 'William Shakespeare'],
    ['romeo_and_juliet', 'Romeo and Juliet', 'shakespeare', 'William Shakespeare'],
    ['war_and_peace', 'War and Peace', 'tolstoy', 'Leo Tolstoy'],
  ] as const) {
    await db.publish({ urlName, name, authorId, author });
  }
  operations();
  expect((await db.book({ urlName: 'hamlet' }))?.author).toBe('William Shakespeare');
  expect(operations()).toEqual(['GetItem']); // .a

  const rename = { updates: 'Author', by: ['authorId'], sets: ['author'] } as const;
  const mutable = {
    ...books,
    patterns: { ...books.patterns, rename },
    served: { ...books.served, rename: 'UpdateItem' },
  } as const;
  expect(errors(mutable)).toContain('broken-duplicate');
  const undeclared = { ...mutable, entities: { ...mutable.entities, Book: entity(books.entities.Book.attributes) } };
  expect(errors(undeclared)).toContain('undeclared-duplicate'); // .b
});

test('P-42 a class is read with its students in one request; the other direction is not served', async () => {
  const { client, operations } = await openExample(classLists);
  const db = connect(classLists, { client });
  await db.enrol({ student: 's1', name: 'Tom', gpa: 3.1 });
  await db.open({ class: 'physics', students: [{ student: 's1', name: 'Tom' }] });
  operations();
  expect((await db.class({ class: 'physics' }))?.students).toEqual([{ student: 's1', name: 'Tom' }]);
  expect(operations()).toEqual(['GetItem']); // .a

  const classesOf = { reads: ['Class'], by: ['student'], limit: 10 } as const;
  const backwards = {
    ...classLists,
    patterns: { ...classLists.patterns, classesOf },
    served: { ...classLists.served, classesOf: { query: 'School' } },
  };
  expect(errors(backwards as never)).toContain('unknown-name'); // .b: a class has no attribute `student`

  const rename = { updates: 'Student', by: ['student'], sets: ['name'] } as const;
  const renamed = {
    ...classLists,
    patterns: { ...classLists.patterns, rename },
    served: { ...classLists.served, rename: 'UpdateItem' },
  } as const;
  expect(errors(renamed)).toContain('broken-duplicate'); // .c
});
