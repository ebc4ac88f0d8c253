import { entity, initial, model, ref } from '@singlet/model';
import { z } from 'zod';

/** Ids are parts of keys, whose separator is `:`; `like` begins the family of likes. */
const id = z.string().regex(/^[^:#|/\s]{1,100}$/);
/** A user in the form that matches store. */
const user = z.string().regex(/^user:[^:#|/\s]{1,100}$/);
/** UTC with seconds, always: one precision, so that text order is time order. */
const time = z.iso.datetime({ precision: 0 });

const filtering = {
  'filter-with-limit': 'likes that were taken back are few',
  'filter-selects': 'likes that were taken back are few',
};
const reading = { 'serial-requests': 'an index key depends on a time that only the item knows' };
const seeding = { 'put-replaces': 'sample data goes into an empty table' };

/** Taking a like back. A like that does not exist counts as taken back immediately. */
const takenBack = {
  updates: 'Like',
  by: ['liker', 'liked'],
  takes: { at: time },
  changes: { deleted: true, likedAt: initial(ref('at')) },
  orCreates: true,
} as const;

/** The default number of partitions over which matches are spread by the time they were last seen. */
export const SHARDS = 10;

/** Options for creating a table. */
export interface DatingModelOptions {
  /** Partitions of the index of stale matches: as many as its peak writes need, at 1,000 each. */
  readonly shards?: number;
  /** Whether withdrawn likes leave the index. Otherwise they stay, and reads filter them out. */
  readonly sparse?: boolean;
}

/** Likes, matches, and matches that have not been seen for long. */
export function datingModel({ shards = SHARDS, sparse = true }: DatingModelOptions = {}) {
  const shard = `shard${shards}` as const;
  const received = ['user:like:{liked}', '{likedAt:seconds}'] as const;
  return model('datingApp')
    .entities({
      User: entity({ userId: id, name: z.string() }, { expects: { items: 100_000, bytes: 150 } }),
      Like: entity(
        {
          liker: id,
          liked: id,
          likedAt: time,
          status: z.literal('active').default('active'),
          deleted: z.boolean().default(false),
        },
        { expects: { items: 2_000_000, bytes: 200 } },
      ),
      Match: entity(
        {
          matchId: id,
          user1: user,
          user2: user,
          matchedAt: time,
          /** The latest time at which either user saw it. */
          lastSeenAt: time,
          seenBy: z.record(z.string(), time).default({}),
          staleHandledAt: time.optional(),
        },
        { expects: { items: 200_000, bytes: 350 }, examples: { user1: ['user:1234'], user2: ['user:4567'] } },
      ),
      PairGuard: entity({ low: id, high: id, matchId: id }, { expects: { items: 200_000, bytes: 120 } }),
    })
    .relationships([
      ['User', '1:N', 'Like'],
      ['User', 'N:M', 'User', { through: 'Match' }],
    ])
    .patterns(
      {
        matchesOf: {
          id: 'DA-1',
          actor: 'user',
          reads: ['Match'],
          aka: { user: ['user1', 'user2'] },
          order: 'matchedAt desc',
          limit: 25,
          rate: 500,
          volume: { typical: 10, most: 500 },
        },
        likesReceived: {
          id: 'DA-2',
          actor: 'user',
          reads: ['Like'],
          by: ['liked'],
          where: sparse ? { deleted: false } : { deleted: false, status: 'active' },
          order: 'likedAt desc',
          limit: 25,
          rate: 300,
          volume: { typical: 20, most: 10_000 },
          ...(sparse ? {} : { accepts: filtering }),
        },
        staleMatches: {
          id: 'DA-3',
          actor: 'job',
          reads: ['Match'],
          range: 'lastSeenAt',
          order: 'lastSeenAt asc',
          limit: 100,
          rate: 1,
          volume: { typical: 100 },
        },
        likesGiven: {
          id: 'DA-4',
          actor: 'user',
          reads: ['Like'],
          by: ['liker'],
          where: { deleted: false },
          order: 'liked asc',
          limit: 25,
          rate: 50,
          volume: { typical: 20, most: 10_000 },
          accepts: filtering,
        },
        like: { id: 'DA-5', actor: 'user', reads: 'Like', by: ['liker', 'liked'], rate: 200 },
        match: { id: 'DA-6', actor: 'user', reads: 'Match', by: ['matchId'], rate: 500 },
        pair: { actor: 'user', reads: 'PairGuard', by: ['low', 'high'], rate: 200 },
        newestMatchesOf: {
          id: 'DA-9',
          actor: 'user',
          reads: ['Match'],
          aka: { user: ['user1', 'user2'] },
          order: 'matchedAt desc',
          limit: 3,
          rate: 1000,
          volume: { typical: 3, most: 3 },
        },
        profiles: { actor: 'user', note: 'of a deck', reads: 'User', by: ['userId'], each: true, rate: 300 },
        likesReturned: { actor: 'user', reads: 'Like', by: ['liker', 'liked'], each: true, rate: 100 },

        likeFirst: {
          id: 'DA-W1',
          actor: 'user',
          note: 'no like in the other direction',
          transacts: {
            reverse: {
              checks: 'Like',
              by: ['liker', 'liked'],
              mustExist: false,
              given: { any: [{ liker: { exists: false } }, { deleted: true }] },
            },
            like: { puts: 'Like', given: { any: [{ liker: { exists: false } }, { deleted: true }] } },
          },
          rate: 100,
        },
        likeBack: {
          id: 'DA-W2',
          actor: 'user',
          note: 'completes a match',
          transacts: {
            reverse: { checks: 'Like', by: ['liker', 'liked'], given: { deleted: false } },
            like: { puts: 'Like' },
            pair: { creates: 'PairGuard' },
            match: { creates: 'Match' },
          },
          accepts: { 'put-replaces': 'a like that was taken back is given again' },
          rate: 10,
        },
        see: {
          id: 'DA-W4',
          actor: 'user',
          updates: 'Match',
          by: ['matchId'],
          takes: { user, at: time },
          changes: { lastSeenAt: ref('at'), 'seenBy.{user}': ref('at') },
          // Both may be recorded in one second.
          given: {
            any: [
              { lastSeenAt: { atMost: ref('at') }, user1: ref('user') },
              { lastSeenAt: { atMost: ref('at') }, user2: ref('user') },
            ],
          },
          accepts: { 'unbounded-attribute': 'a match is seen by two' },
          rate: 300,
        },
        unlike: {
          id: 'DA-W5',
          actor: 'user',
          transacts: {
            pair: { checks: 'PairGuard', by: ['low', 'high'], mustExist: false, given: { matchId: { exists: false } } },
            like: { updates: 'Like', by: ['liker', 'liked'], changes: { deleted: true }, given: { deleted: false } },
          },
          rate: 10,
        },
        unmatch: {
          id: 'DA-W6',
          actor: 'user',
          transacts: {
            match: { deletes: 'Match', by: ['matchId'], mustExist: true },
            pair: {
              deletes: 'PairGuard',
              by: ['low', 'high'],
              takes: { matchId: id },
              given: { any: [{ matchId: { exists: false } }, { matchId: ref('matchId') }] },
            },
            one: takenBack,
            other: takenBack,
          },
          ...(sparse ? {} : { accepts: reading }),
          rate: 5,
        },
        expire: {
          actor: 'job',
          note: 'unmatches, if the match is still stale',
          transacts: {
            match: {
              deletes: 'Match',
              by: ['matchId'],
              takes: { cutoff: time },
              given: { lastSeenAt: { below: ref('cutoff') } },
              mustExist: true,
            },
            pair: {
              deletes: 'PairGuard',
              by: ['low', 'high'],
              takes: { matchId: id },
              given: { any: [{ matchId: { exists: false } }, { matchId: ref('matchId') }] },
            },
            one: takenBack,
            other: takenBack,
          },
          ...(sparse ? {} : { accepts: reading }),
          rate: 5,
        },
        markHandled: {
          actor: 'job',
          note: 'an action that keeps the match leaves a mark, so that the next sweep passes over it',
          updates: 'Match',
          by: ['matchId'],
          sets: ['staleHandledAt'],
          takes: { seen: time },
          given: {
            any: [
              { lastSeenAt: ref('seen'), staleHandledAt: { exists: false } },
              { lastSeenAt: ref('seen'), staleHandledAt: { below: ref('seen') } },
            ],
          },
          rate: 5,
        },
        createUser: { actor: 'user', creates: 'User', rate: 1 },
        user: { actor: 'user', reads: 'User', by: ['userId'], rate: 100 },
        seedUsers: { actor: 'seed', puts: ['User'], accepts: seeding },
        seedLikes: { actor: 'seed', puts: ['Like'], accepts: seeding },
        seedMatches: { actor: 'seed', puts: ['Match'], accepts: seeding },
        seedPairs: { actor: 'seed', puts: ['PairGuard'], accepts: seeding },
      },
      {
        matchOfPair: { id: 'DA-7', actor: 'user', takes: ['pair', 'match'] },
        likesYou: {
          id: 'DA-8',
          actor: 'user',
          takes: ['likesReceived', 'likesReturned'],
          note: 'likes received that were not returned',
        },
        give: {
          id: 'DA-W3',
          actor: 'user',
          takes: ['pair', 'like', 'likeFirst', 'likeBack'],
          note: 'looks which of the two likes it is; where somebody has moved meanwhile, looks again',
        },
        sweep: {
          id: 'DA-W7',
          actor: 'job',
          takes: ['staleMatches', 'expire', 'markHandled'],
          note: 'shard after shard, page by page',
        },
      },
    )
    .tables({
      'dating-app': {
        key: ['PK', 'SK'],
        indexes: {
          GSI_1: ['GSI_1_PK', 'GSI_1_SK'],
          GSI_2: ['GSI_2_PK', 'GSI_2_SK'],
          GSI_3: ['GSI_3_PK', 'GSI_3_SK'],
        },
        separator: ':',
      },
    })
    .keys(
      {
        User: { 'dating-app': ['user:{userId}', 'root'] },
        Like: {
          'dating-app': ['user:{liker}', 'user:{liked}'],
          GSI_1: sparse ? { when: { deleted: false }, key: received } : received,
        },
        Match: {
          'dating-app': ['match:{matchId}', 'root'],
          GSI_1: ['user:{user1:bare}', '{matchedAt:seconds}'],
          GSI_2: ['user:{user2:bare}', '{matchedAt:seconds}'],
          GSI_3: [`Match#{matchId:${shard}}`, '{lastSeenAt}'],
        },
        PairGuard: { 'dating-app': ['pair:{low}:{high}', 'root'] },
      },
      { Match: { stored: { lastSeenAt: 'GSI_3_SK' } }, Like: { stored: { status: 'Status' } } },
    )
    .served({
      matchesOf: { query: ['GSI_1', 'GSI_2'] },
      likesReceived: { query: 'GSI_1' },
      staleMatches: { query: 'GSI_3', fanOut: shards },
      likesGiven: { query: 'dating-app' },
      like: 'GetItem',
      match: 'GetItem',
      pair: 'GetItem',
      newestMatchesOf: { query: ['GSI_1', 'GSI_2'] },
      profiles: 'BatchGetItem',
      likesReturned: 'BatchGetItem',
      likeFirst: 'TransactWriteItems',
      likeBack: 'TransactWriteItems',
      see: 'UpdateItem',
      unlike: 'TransactWriteItems',
      unmatch: sparse ? 'TransactWriteItems' : ['GetItem', 'TransactWriteItems'],
      expire: sparse ? 'TransactWriteItems' : ['GetItem', 'TransactWriteItems'],
      markHandled: 'UpdateItem',
      createUser: 'PutItem',
      user: 'GetItem',
      seedUsers: 'BatchWriteItem',
      seedLikes: 'BatchWriteItem',
      seedMatches: 'BatchWriteItem',
      seedPairs: 'BatchWriteItem',
    });
}

export const datingApp = datingModel();
