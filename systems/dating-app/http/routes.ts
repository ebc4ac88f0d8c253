import { shardNumber } from '@singlet/model';
import { z } from 'zod';
import { type Route, route } from '../../http/route.ts';
import { SESSION, type SignIn } from '../../http/sign-in.ts';
import type { Match } from '../dating.ts';
import { SHARDS } from '../model.ts';
import { type Found, type House, otherOf } from './house.ts';

/** Ids are parts of keys, whose separator is a colon. */
export const id = z.string().regex(/^[^:\s]{1,100}$/);
const cursor = z.string().max(4000).optional();
const page = z.object({ cursor });

const profile = z.object({ userId: z.string(), name: z.string() });
const card = profile.extend({ likesYou: z.boolean(), likedAt: z.string().optional() });
const match = z.object({ matchId: z.string(), other: profile, matchedAt: z.string(), lastSeenAt: z.string() });
const pair = z.object({ matchId: z.string(), with: z.string(), matchedAt: z.string(), lastSeenAt: z.string() });
const like = z.object({ liked: z.string(), likedAt: z.string() });
const outcome = z.enum(['liked', 'matched', 'already-liked', 'already-matched']);

const signedOut = { 401: { description: 'Not signed in' } };
const absent = { 404: { description: 'There is no such thing' } };
const foreign = { 403: { description: 'It is between two other people' } };

/** Everything that the application does, over HTTP. */
export function routesOf(house: House, signIn: SignIn): readonly Route[] {
  return [...likeRoutes(house, signIn), ...matchRoutes(house, signIn), ...operatorRoutes(house)];
}

function likeRoutes(house: House, signIn: SignIn): readonly Route[] {
  const { dating } = house;
  const facts = { tag: 'Likes', security: SESSION } as const;
  const pathSchemas = { userId: id };
  return [
    route({
      ...facts,
      method: 'GET',
      path: '/deck',
      operationId: 'getDeck',
      summary: 'Those who like you and were not liked back; new faces where there are none',
      serves: ['DA-8'],
      query: page,
      answers: {
        200: { description: 'A page', schema: z.object({ cards: z.array(card), cursor: z.string().optional() }) },
        ...signedOut,
      },
      handle: async ({ query, request }) => ({
        status: 200,
        body: await house.deck(await signIn.required(request), query),
      }),
    }),
    route({
      ...facts,
      method: 'GET',
      path: '/likes/received',
      operationId: 'getLikesReceived',
      summary: 'Likes received, the newest first',
      serves: ['DA-2'],
      query: page,
      answers: {
        200: {
          description: 'A page',
          schema: z.object({
            items: z.array(z.object({ liker: z.string(), likedAt: z.string() })),
            cursor: z.string().optional(),
          }),
        },
        ...signedOut,
      },
      handle: async ({ query, request }) => {
        const person = await signIn.required(request);
        const read = async (at: string | undefined) => await dating.db.likesReceived({ liked: person }, { cursor: at });
        const { items, ...more } = await house.page('received', person, query.cursor, read);
        return { status: 200, body: { items: items.map(({ liker, likedAt }) => ({ liker, likedAt })), ...more } };
      },
    }),
    route({
      ...facts,
      method: 'GET',
      path: '/likes',
      operationId: 'getLikesGiven',
      summary: 'Likes given',
      serves: ['DA-4'],
      query: page,
      answers: {
        200: { description: 'A page', schema: z.object({ items: z.array(like), cursor: z.string().optional() }) },
        ...signedOut,
      },
      handle: async ({ query, request }) => {
        const person = await signIn.required(request);
        const read = async (at: string | undefined) => await dating.db.likesGiven({ liker: person }, { cursor: at });
        const { items, ...more } = await house.page('given', person, query.cursor, read);
        return { status: 200, body: { items: items.map(({ liked, likedAt }) => ({ liked, likedAt })), ...more } };
      },
    }),
    route({
      ...facts,
      method: 'GET',
      path: '/likes/{userId}',
      operationId: 'getLike',
      summary: 'Whether you like somebody',
      pathSchemas,
      serves: ['DA-5'],
      answers: { 200: { description: 'The answer', schema: z.object({ likes: z.boolean() }) }, ...signedOut },
      handle: async ({ path, request }) => ({
        status: 200,
        body: { likes: await dating.likes(await signIn.required(request), path.userId) },
      }),
    }),
    route({
      ...facts,
      method: 'PUT',
      path: '/likes/{userId}',
      operationId: 'like',
      summary: 'Like somebody; where they like you, it is a match',
      description: 'It can be repeated: the answer says what was done before.',
      pathSchemas,
      serves: ['DA-W1', 'DA-W2', 'DA-W3', 'DA-7'],
      answers: {
        200: { description: 'What became of it', schema: z.object({ outcome, match: pair.optional() }) },
        ...signedOut,
        ...absent,
        409: { description: 'It is yourself' },
      },
      handle: async ({ path, request }) => {
        const person = await signIn.required(request);
        const done = await house.like(person, path.userId);
        const shown = done.match === undefined ? {} : { match: pairShown(done.match, person) };
        return { status: 200, body: { outcome: done.outcome, ...shown } };
      },
    }),
    route({
      ...facts,
      method: 'DELETE',
      path: '/likes/{userId}',
      operationId: 'unlike',
      summary: 'Take a like back; that of a match ends the match',
      pathSchemas,
      serves: ['DA-W5', 'DA-W6'],
      answers: {
        200: { description: 'What it was', schema: z.object({ outcome: z.enum(['unliked', 'unmatched']) }) },
        ...signedOut,
        ...absent,
      },
      handle: async ({ path, request }) => ({
        status: 200,
        body: { outcome: await dating.unlike(await signIn.required(request), path.userId) },
      }),
    }),
  ];
}

function matchRoutes(house: House, signIn: SignIn): readonly Route[] {
  const facts = { tag: 'Matches', security: SESSION } as const;
  const pathSchemas = { matchId: id };
  return [
    route({
      ...facts,
      method: 'GET',
      path: '/matches',
      operationId: 'getMatches',
      summary: 'Matches, the newest first',
      serves: ['DA-1'],
      query: page,
      answers: {
        200: { description: 'A page', schema: z.object({ items: z.array(match), cursor: z.string().optional() }) },
        ...signedOut,
      },
      handle: async ({ query, request }) => {
        const found = await house.matches(await signIn.required(request), query.cursor);
        return { status: 200, body: { ...found, items: found.items.map(matchShown) } };
      },
    }),
    route({
      ...facts,
      method: 'GET',
      path: '/matches/newest',
      operationId: 'getNewestMatches',
      summary: 'The three newest matches',
      serves: ['DA-9'],
      answers: { 200: { description: 'The matches', schema: z.object({ items: z.array(pair) }) }, ...signedOut },
      handle: async ({ request }) => {
        const person = await signIn.required(request);
        const items = await house.newestMatches(person);
        return { status: 200, body: { items: items.map((each) => pairShown(each, person)) } };
      },
    }),
    route({
      ...facts,
      method: 'GET',
      path: '/matches/{matchId}',
      operationId: 'getMatch',
      summary: 'A match',
      pathSchemas,
      serves: ['DA-6'],
      answers: { 200: { description: 'The match', schema: pair }, ...signedOut, ...absent, ...foreign },
      handle: async ({ path, request }) => {
        const person = await signIn.required(request);
        return { status: 200, body: pairShown(await house.match(person, path.matchId), person) };
      },
    }),
    route({
      ...facts,
      method: 'PUT',
      path: '/matches/{matchId}/seen',
      operationId: 'seeMatch',
      summary: 'Look at a match, which keeps it for thirty days',
      pathSchemas,
      serves: ['DA-W4', 'DA-6'],
      answers: { 200: { description: 'The match', schema: pair }, ...signedOut, ...absent, ...foreign },
      handle: async ({ path, request }) => {
        const person = await signIn.required(request);
        return { status: 200, body: pairShown(await house.see(person, path.matchId), person) };
      },
    }),
    route({
      ...facts,
      method: 'DELETE',
      path: '/matches/{matchId}',
      operationId: 'endMatch',
      summary: 'End a match, with both likes',
      pathSchemas,
      serves: ['DA-W6', 'DA-6'],
      answers: { 204: { description: 'Ended' }, ...signedOut, ...absent, ...foreign },
      handle: async ({ path, request }) => {
        await house.letGo(await signIn.required(request), path.matchId);
        return { status: 204 };
      },
    }),
  ];
}

function operatorRoutes(house: House): readonly Route[] {
  const { dating } = house;
  const time = z.iso.datetime({ precision: 0 });
  return [
    route({
      method: 'GET',
      path: '/operator/stale',
      operationId: 'getStaleMatches',
      summary: 'Matches that neither has looked at since a time, the longest unseen first',
      tag: 'Operator',
      serves: ['DA-3'],
      query: z.object({ before: time, cursor }),
      answers: {
        200: {
          description: 'A page over all shards',
          schema: z.object({
            items: z.array(z.object({ matchId: z.string(), lastSeenAt: z.string(), shard: z.int() })),
            cursor: z.string().optional(),
          }),
        },
      },
      handle: async ({ query: { before, cursor: from } }) => {
        const read = async (at: string | undefined) =>
          await dating.db.staleMatches({ lastSeenAt: { before } }, { cursor: at });
        const found = await house.page('stale', before, from, read);
        const items = found.items.map(({ matchId, lastSeenAt }) => ({
          matchId,
          lastSeenAt,
          shard: shardNumber(matchId, SHARDS),
        }));
        return { status: 200, body: { ...found, items } };
      },
    }),
    route({
      method: 'POST',
      path: '/operator/sweep',
      operationId: 'sweep',
      summary: 'End the matches that neither has looked at for thirty days',
      tag: 'Operator',
      serves: ['DA-W7'],
      answers: {
        200: {
          description: 'What was done',
          schema: z.object({
            expired: z.int(),
            kept: z.int(),
            passedOver: z.int(),
            byShard: z.array(z.int()),
          }),
        },
      },
      handle: async () => ({ status: 200, body: await house.sweep() }),
    }),
  ];
}

function matchShown({ match: of, other }: Found): z.output<typeof match> {
  const { matchId, matchedAt, lastSeenAt } = of;
  return { matchId, other: { userId: other.userId, name: other.name }, matchedAt, lastSeenAt };
}

function pairShown(of: Match, person: string): z.output<typeof pair> {
  const { matchId, matchedAt, lastSeenAt } = of;
  return { matchId, with: otherOf(of, person), matchedAt, lastSeenAt };
}
