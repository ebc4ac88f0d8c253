import { add, entity, model } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9]+$/);

/**
 * S-82 Data derived from the stream: the number of users is counted after the request. A change may be delivered twice, so its
 * marker is created in the transaction that counts it.
 */
export const counted = model('counted')
  .entities({
    Organization: entity({ organization: id, users: z.number().default(0) }),
    User: entity({ organization: id, username: id }),
    Counted: entity({ eventId: z.string(), expiresAt: z.int().max(9_999_999_999) }, { expires: 'expiresAt' }),
  })
  .relationships([['Organization', '1:N', 'User']])
  .patterns({
    found: { creates: 'Organization' },
    join: { creates: 'User' },
    leave: { deletes: 'User', by: ['organization', 'username'] },
    users: { reads: ['User'], by: ['organization'], limit: 100 },
    organization: { reads: 'Organization', by: ['organization'] },
    countOne: {
      actor: 'stream',
      transacts: {
        marker: { creates: 'Counted' },
        count: { updates: 'Organization', by: ['organization'], changes: { users: add(1) } },
      },
      accepts: { 'not-idempotent': 'the marker makes it so' },
      strategy: 'S-82',
    },
    discountOne: {
      actor: 'stream',
      transacts: {
        marker: { creates: 'Counted' },
        count: { updates: 'Organization', by: ['organization'], changes: { users: add(-1) } },
      },
      accepts: { 'not-idempotent': 'the marker makes it so' },
      strategy: 'S-82',
    },
  })
  .tables({ Counted: { key: ['PK', 'SK'], stream: 'NEW_AND_OLD_IMAGES' } })
  .keys(
    {
      Organization: { Counted: ['ORG#{organization}', 'ORG#{organization}'] },
      User: { Counted: ['ORG#{organization}', 'USER#{username}'] },
      Counted: { Counted: ['EVENT#{eventId}', 'EVENT#{eventId}'] },
    },
    { Counted: { accepts: { 'separator-in-value': 'event ids are hexadecimal' } } },
  )
  .served({
    found: 'PutItem',
    join: 'PutItem',
    leave: 'DeleteItem',
    users: { query: 'Counted' },
    organization: 'GetItem',
    countOne: 'TransactWriteItems',
    discountOne: 'TransactWriteItems',
  });
