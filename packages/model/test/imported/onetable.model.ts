import { z } from 'zod';
import { entity, model } from '../../src/index.ts';

// Read from a onetable schema with the models User, Account.
export const accounts = model('accounts')
  // 1. What there is, and how it is related
  .entities({
    User: entity(
      {
        account: z.string(),
        email: z.string(),
        joined: z.string(),
        status: z.enum(['active', 'off']).default('active'),
        visits: z.number(),
        // seconds since 1970
        expires: z.number().optional(),
        created: z.string().optional(),
        updated: z.string().optional(),
      },
      { expires: 'expires' },
    ),
    // Guards that onetable wrote do not name their owner: write each item once with this model before you change its
    // unique attributes.
    Account: entity(
      {
        // onetable made it up (ulid): give a value
        account: z.string(),
        name: z.string(),
        address: z.object({ street: z.string(), zip: z.string().optional() }).optional(),
        created: z.string().optional(),
        updated: z.string().optional(),
      },
      { unique: ['name'] },
    ),
  })
  .relationships([])

  // 2. What the application needs: so far only what the keys can serve
  .patterns({
    putUser: { puts: 'User' },
    user: { reads: 'User', by: ['account', 'email'] },
    deleteUser: { deletes: 'User', by: ['account', 'email'] },
    usersOfAccount: { reads: ['User'], by: ['account'], limit: 25 },
    usersByGs1: { reads: ['User'], by: ['status'], limit: 25 },
    usersByLs1: { reads: ['User'], by: ['account'], limit: 25 },
    createAccount: { creates: 'Account' },
    account: { reads: 'Account', by: ['account'] },
    deleteAccount: { deletes: 'Account', by: ['account'] },
  })

  // 3. Keys and indexes
  .tables({
    Accounts: { key: ['pk', 'sk'], indexes: { gs1: ['gs1pk', 'gs1sk'], ls1: { local: 'joined' } }, type: '_type' },
  })
  .keys(
    {
      User: {
        Accounts: ['account#{account}', 'User#{email}'],
        gs1: ['status#{status}', 'visits#{visits:06}'],
        ls1: ['{joined}'],
      },
      Account: { Accounts: ['account#{account}', 'account#'] },
    },
    {
      User: { stored: { status: 'st' } },
      Account: { unique: { name: { key: ['_unique#Account#name#{name}', '_unique#'], type: '_Unique' } } },
    },
  )

  // 4. How each pattern is served
  .served({
    putUser: 'PutItem',
    user: 'GetItem',
    deleteUser: 'DeleteItem',
    usersOfAccount: { query: 'Accounts' },
    usersByGs1: { query: 'gs1' },
    usersByLs1: { query: 'ls1' },
    createAccount: 'TransactWriteItems',
    account: 'GetItem',
    deleteAccount: ['GetItem', 'TransactWriteItems'],
  });
