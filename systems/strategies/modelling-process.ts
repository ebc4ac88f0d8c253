import { entity, type Model, model } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9]+$/);

/**
 * S-01 The method, in order: entities, patterns, keys, how each pattern is served. `check` validates the result.
 * S-02 The diagram comes from the first section.
 */
export const notes = model('notes')
  .entities({
    User: entity({ username: id, email: z.email(), dateCreated: z.iso.date() }),
    Note: entity({ username: id, title: id, dateCreated: z.iso.date(), body: z.string() }),
  })
  .relationships([['User', '1:N', 'Note']])
  .patterns({
    signUp: { creates: 'User', strategy: 'S-74' },
    write: { creates: 'Note', strategy: 'S-74' },
    userWithNotes: {
      reads: { user: 'User', notes: ['Note'] },
      by: ['username'],
      order: 'title desc',
      limit: 20,
      strategy: 'S-29',
    },
  })
  .tables({ Notes: { key: ['PK', 'SK'] } })
  .keys({ User: { Notes: ['USER#{username}', 'USER'] }, Note: { Notes: ['USER#{username}', 'NOTE#{title}'] } })
  .served({ signUp: 'PutItem', write: 'PutItem', userWithNotes: { query: 'Notes' } });

/** S-03 The patterns of a session store: the chart is filled from the left, and its right columns as the modelling continues. */
export const sessionStore = model('sessionStore')
  .entities({
    Session: entity({ token: z.uuid(), username: id, expiresAt: z.int().max(9_999_999_999) }, { expires: 'expiresAt' }),
  })
  .relationships([])
  .patterns({
    createSession: { creates: 'Session', strategy: 'S-74' },
    getSession: { reads: 'Session', by: ['token'], strategy: 'S-75' },
    deleteSession: { deletes: 'Session', by: ['token'] },
    sessionsOfUser: {
      reads: ['Session'],
      by: ['username'],
      attributes: ['token'],
      volume: { typical: 2, most: 20 },
      strategy: 'S-30',
    },
  })
  .tables({
    Sessions: {
      key: ['token'],
      indexes: { UserIndex: { partition: ['username'], sort: [], project: ['token', 'expiresAt', 'Type'] } },
    },
  })
  .keys({ Session: { Sessions: ['{token}'], UserIndex: ['{username}'] } })
  .served({
    createSession: 'PutItem',
    getSession: 'GetItem',
    deleteSession: 'DeleteItem',
    sessionsOfUser: { query: 'UserIndex' },
  });

/** S-04 Entities of a new model: one row each in the future chart, and no key yet. */
const gitHubEntities = [
  'Repo',
  'Issue',
  'PullRequest',
  'Fork',
  'Comment',
  'Reaction',
  'User',
  'Organization',
  'PaymentPlan',
] as const;

/**
 * S-04 The entity chart of GitHub.
 * @param embedded - the payment plan is a map of its organization, not an entity.
 */
export function gitHubChart({ embedded, keyed }: { readonly embedded: boolean; readonly keyed: boolean }): Model {
  const names = gitHubEntities.filter((name) => !embedded || name !== 'PaymentPlan');
  const plan = { paymentPlan: z.object({ kind: z.string(), paidUntil: z.iso.date() }) };
  return {
    name: 'gitHub',
    entities: Object.fromEntries(
      names.map((name) => [name, entity({ id, ...(embedded && name === 'Organization' ? plan : {}) })]),
    ),
    relationships: [['Repo', '1:N', 'Issue']],
    patterns: Object.fromEntries(names.map((name) => [`create${name}`, { creates: name }])),
    tables: { GitHub: { key: ['PK', 'SK'] } },
    keys: keyed
      ? Object.fromEntries(
          names.map((name) => [name, { GitHub: [`${name.toUpperCase()}#{id}`, `${name.toUpperCase()}#{id}`] }]),
        )
      : {},
    storage: {},
    served: Object.fromEntries(names.map((name) => [`create${name}`, 'PutItem' as const])),
  };
}
