import { entity, exclude, include, model, ref } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[A-Za-z0-9]+$/);

/** S-71 A limit on concurrent jobs: a set on one item, and its size as the condition. */
export const tracker = model('tracker')
  .entities({ Tracker: entity({ tracker: id, inProgress: z.set(z.string()).optional() }) })
  .relationships([])
  .patterns({
    begin: {
      updates: 'Tracker',
      by: ['tracker'],
      orCreates: true,
      takes: { job: id },
      changes: { inProgress: include(ref('job')) },
      given: { any: [{ inProgress: { exists: false } }, { inProgress: { size: { below: 10 } } }] },
      strategy: 'S-71',
    },
    end: { updates: 'Tracker', by: ['tracker'], takes: { job: id }, changes: { inProgress: exclude(ref('job')) } },
    running: { reads: 'Tracker', by: ['tracker'] },
  })
  .tables({ Trackers: { key: ['PK', 'SK'] } })
  .keys({ Tracker: { Trackers: ['TRACKER#{tracker}', 'TRACKER#{tracker}'] } })
  .served({ begin: 'UpdateItem', end: 'UpdateItem', running: 'GetItem' });

/**
 * S-72 Permission is asserted inside the write: no read before it, so nothing can change between the two.
 * S-73 The same across items: the transaction that deletes another item checks the list of administrators.
 */
export const billing = model('billing')
  .entities({
    Organization: entity({ organization: id, subscription: z.string(), admins: z.set(z.string()) }),
    Admins: entity({ organization: id, admins: z.set(z.string()) }),
    Billing: entity({ organization: id, card: z.string() }),
  })
  .relationships([
    ['Organization', '1:1', 'Admins'],
    ['Organization', '1:1', 'Billing'],
  ])
  .patterns({
    found: { creates: 'Organization' },
    appoint: { creates: 'Admins' },
    setBilling: { creates: 'Billing' },
    subscribe: {
      updates: 'Organization',
      by: ['organization'],
      sets: ['subscription'],
      takes: { user: z.string() },
      given: { admins: { contains: ref('user') } },
      strategy: 'S-72',
    },
    dropBilling: {
      transacts: {
        permission: {
          checks: 'Admins',
          by: ['organization'],
          takes: { user: z.string() },
          given: { admins: { contains: ref('user') } },
        },
        billing: { deletes: 'Billing', by: ['organization'] },
      },
      strategy: 'S-73',
    },
    organization: { reads: 'Organization', by: ['organization'] },
    billing: { reads: 'Billing', by: ['organization'] },
  })
  .tables({ Billing: { key: ['PK', 'SK'] } })
  .keys({
    Organization: { Billing: ['ORG#{organization}', 'ORG#{organization}'] },
    Admins: { Billing: ['Admins#{organization}', 'Admins#{organization}'] },
    Billing: { Billing: ['Billing#{organization}', 'Billing#{organization}'] },
  })
  .served({
    found: 'PutItem',
    appoint: 'PutItem',
    setBilling: 'PutItem',
    subscribe: 'UpdateItem',
    dropBilling: 'TransactWriteItems',
    organization: 'GetItem',
    billing: 'GetItem',
  });

/**
 * S-74 Every create is guarded; a caller that means "create or replace" says so.
 * S-75 An expired item is not returned, although DynamoDB deletes it later.
 */
export const sessions = model('sessions')
  .entities({
    User: entity({ username: id, name: z.string() }),
    Session: entity({ token: id, username: id, expiresAt: z.int().max(9_999_999_999) }, { expires: 'expiresAt' }),
  })
  .relationships([['User', '1:N', 'Session']])
  .patterns({
    signUp: { creates: 'User', strategy: 'S-74' },
    save: { upserts: 'User', strategy: 'S-74' },
    user: { reads: 'User', by: ['username'] },
    start: { creates: 'Session' },
    session: { reads: 'Session', by: ['token'], strategy: 'S-75' },
    sessionsOf: { reads: ['Session'], by: ['username'], volume: { typical: 2, most: 20 }, strategy: 'S-75' },
  })
  .tables({ Sessions: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    User: { Sessions: ['USER#{username}', 'USER#{username}'] },
    Session: { Sessions: ['SESSION#{token}', 'SESSION#{token}'], GSI1: ['USER#{username}', 'SESSION#{token}'] },
  })
  .served({
    signUp: 'PutItem',
    save: 'UpdateItem',
    user: 'GetItem',
    start: 'PutItem',
    session: 'GetItem',
    sessionsOf: { query: 'GSI1' },
  });

/** Bounds of a sort key, inclusive. */
export interface Between {
  readonly from: string;
  readonly to: string;
}

const LEAST = '\u0000';
// The greatest possible text: 1,024 bytes of the greatest character.
const GREATEST = '\u{10ffff}'.repeat(256);

/**
 * S-76 Every condition on a sort key as one BETWEEN. Texts here consist of characters with a neighbour on either side. An excluded
 * text is replaced by the nearest neighbour that an application would write.
 */
export function asBetween(operator: '=' | '<' | '<=' | '>' | '>=' | 'begins_with', value: string): Between {
  switch (operator) {
    case '=':
      return { from: value, to: value };
    case '<=':
      return { from: LEAST, to: value };
    case '>=':
      return { from: value, to: GREATEST };
    case '>':
      return { from: value + LEAST, to: GREATEST };
    case '<':
      return { from: LEAST, to: justBelow(value) };
    case 'begins_with': {
      // The longest text that begins with it, within 1,024 bytes.
      const room = Math.floor((1024 - Buffer.byteLength(value)) / 4);
      return { from: value, to: value + '\u{10ffff}'.repeat(room) };
    }
  }
}

/** The greatest text of at most 1,024 bytes before this one, if this one does not end with the least character. */
function justBelow(value: string): string {
  const before = value.slice(0, -1) + String.fromCodePoint((value.at(-1)?.codePointAt(0) ?? 1) - 1);
  return before + '\u{10ffff}'.repeat(Math.floor((1024 - Buffer.byteLength(before)) / 4));
}
