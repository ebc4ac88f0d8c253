import { entity, model } from '@singlet/model';
import { z } from 'zod';

/** The sessions of signed-in users. Users are kept elsewhere: here a username only groups sessions. */
export const sessionStore = model('session-store')
  // 1. What there is
  .entities({
    Session: entity(
      {
        token: z.string().min(1),
        username: z.string().min(1),
        createdAt: z.iso.datetime(),
        /** For people to read; only `ttl` has an effect. */
        expiresAt: z.iso.datetime(),
        /** Seconds since 1970. Milliseconds, read as seconds, would be thousands of years ahead and never expire. */
        ttl: z.int().max(99_999_999_999),
      },
      { expires: 'ttl', expects: { items: 1_000_000, bytes: 190 } },
    ),
  })
  .relationships([])

  // 2. What the application needs
  .patterns(
    {
      createSession: {
        id: 'SS-01',
        actor: 'login',
        creates: 'Session',
        expired: true,
        rate: 50,
        note: 'a token is never used again, not even after its time',
      },
      session: {
        id: 'SS-02',
        actor: 'every request',
        reads: 'Session',
        by: ['token'],
        consistent: true,
        rate: 5000,
        strategy: 'S-75',
        note: 'drops what has expired',
        accepts: { 'consistent-read': 'a token works right after login and fails right after revocation' },
      },
      deleteSession: { id: 'SS-05', actor: 'user', deletes: 'Session', by: ['token'], rate: 10 },
      tokensOf: {
        id: 'SS-06',
        actor: 'user, administrator',
        reads: ['Session'],
        by: ['username'],
        attributes: ['token', 'username'],
        expired: true,
        rate: 1,
        volume: { typical: 3, most: 3000 },
        note: 'expired ones that are still stored included',
      },
      sessionsWithoutTtl: {
        id: 'SS-03',
        actor: 'operator',
        reads: ['Session'],
        attributes: ['token', 'expiresAt'],
        where: { ttl: { exists: false } },
        note: 'once, for a table from before TTL',
        accepts: { scan: 'runs once, over a table whose items are to be completed' },
      },
      addTtl: {
        id: 'SS-03',
        actor: 'operator',
        updates: 'Session',
        by: ['token'],
        sets: ['ttl'],
        given: { ttl: { exists: false } },
      },
    },
    {
      expire: { id: 'SS-03', actor: 'the service', takes: [], note: 'table TTL on `TTL`; no request' },
      deleteSessionsOf: {
        id: 'SS-04',
        actor: 'user, administrator',
        takes: ['tokensOf', 'deleteSession'],
        note: 'again until the index lists nothing',
      },
    },
  )

  // 3. Keys and indexes
  .tables({
    SessionStore: {
      key: ['SessionToken'],
      type: false,
      indexes: { UserIndex: { partition: ['Username'], project: 'KEYS_ONLY' } },
    },
  })
  .keys(
    { Session: { SessionStore: ['{token}'], UserIndex: ['{username}'] } },
    {
      Session: {
        stored: {
          token: 'SessionToken',
          username: 'Username',
          createdAt: 'CreatedAt',
          expiresAt: 'ExpiresAt',
          ttl: 'TTL',
        },
      },
    },
  )

  // 4. How each pattern is served
  .served({
    createSession: 'PutItem',
    session: { query: 'SessionStore' },
    deleteSession: 'DeleteItem',
    tokensOf: { query: 'UserIndex' },
    sessionsWithoutTtl: { scan: 'SessionStore', because: 'runs once, over a table whose items are to be completed' },
    addTtl: 'UpdateItem',
  });
