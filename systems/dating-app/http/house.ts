import { shardNumber } from '@singlet/model';
import { HttpError } from '../../http/http-error.ts';
import { opened, sealed } from '../../http/sealed.ts';
import { type Dating, type Like, type LikeOutcome, type Match, type Sweep, usersOf } from '../dating.ts';
import { SHARDS } from '../model.ts';

// What the pages and the operations share: decks, membership in a match, cursors.

/** A user as others see them. */
export interface Profile {
  readonly userId: string;
  readonly name: string;
}

/** A card of the deck. */
export interface Card extends Profile {
  /** Whether they like the visitor; otherwise they are a new face. */
  readonly likesYou: boolean;
  readonly likedAt?: string;
}

/** A match as one of its two users sees it. */
export interface Found {
  readonly match: Match;
  readonly other: Profile;
}

export interface HouseOptions {
  readonly dating: Dating;
  readonly secret: string;
  /** Users whom the deck proposes when it has no likes to show: the model has no pattern for that. */
  readonly faces: readonly string[];
}

const FACES_AT_ONCE = 12;

/** The application with sign-in for visitors. */
export class House {
  readonly dating: Dating;
  readonly #secret: string;
  readonly #faces: readonly string[];

  constructor({ dating, secret, faces }: HouseOptions) {
    this.dating = dating;
    this.#secret = secret;
    this.#faces = faces;
  }

  /** DA-8: users who like the visitor and were not liked back, or new faces if there are none. */
  async deck(
    person: string,
    { cursor, without = new Set() }: { readonly cursor?: string | undefined; readonly without?: ReadonlySet<string> },
  ): Promise<{ readonly cards: readonly Card[]; readonly cursor?: string }> {
    const scope = ['deck', person];
    const page = await this.dating.likesYou(
      person,
      cursor === undefined ? undefined : opened(this.#secret, scope, cursor),
    );
    const likers = page.items.filter(({ liker }) => !without.has(liker));
    const faces = likers.length === 0 && page.cursor === undefined ? await this.#newFaces(person, without) : [];
    const named = await this.profiles([...likers.map(likerOf), ...faces]);
    return {
      cards: [
        ...likers.map(({ liker, likedAt }) => ({ ...profileOf(named, liker), likesYou: true, likedAt })),
        ...faces.map((userId) => ({ ...profileOf(named, userId), likesYou: false })),
      ],
      ...(page.cursor !== undefined && { cursor: sealed(this.#secret, scope, page.cursor) }),
    };
  }

  /** The names of users, in one batch. */
  async profiles(ids: readonly string[]): Promise<ReadonlyMap<string, Profile>> {
    const all = [...new Set(ids)];
    if (all.length === 0) return new Map();
    const found = await this.dating.db.profiles(all.map((userId) => ({ userId })));
    return new Map(found.flatMap((each) => (each === undefined ? [] : [[each.userId, each] as const])));
  }

  /** DA-W3. @throws {HttpError} 404 for a missing user. */
  async like(person: string, liked: string): Promise<{ readonly outcome: LikeOutcome; readonly match?: Match }> {
    await this.existing(liked);
    const outcome = await this.dating.give(person, liked);
    const match =
      outcome === 'matched' || outcome === 'already-matched' ? await this.dating.matchOf(person, liked) : undefined;
    return { outcome, ...(match !== undefined && { match }) };
  }

  /** @throws {HttpError} 404 */
  async existing(userId: string): Promise<Profile> {
    const found = await this.dating.db.user({ userId });
    if (found === undefined) throw new HttpError(404, 'not-found', 'There is no such person.');
    return found;
  }

  /** A page of a user's list, with a cursor that is valid for it only. */
  async page<Item>(
    list: string,
    person: string,
    cursor: string | undefined,
    read: (
      cursor: string | undefined,
    ) => Promise<{ readonly items: readonly Item[]; readonly cursor: string | undefined }>,
  ): Promise<{ readonly items: readonly Item[]; readonly cursor?: string }> {
    const scope = [list, person];
    const page = await read(cursor === undefined ? undefined : opened(this.#secret, scope, cursor));
    return {
      items: page.items,
      ...(page.cursor !== undefined && { cursor: sealed(this.#secret, scope, page.cursor) }),
    };
  }

  /** DA-1. A page of a user's matches, with the names of the others. */
  async matches(
    person: string,
    cursor: string | undefined,
  ): Promise<{ readonly items: readonly Found[]; readonly cursor?: string }> {
    const { items, ...more } = await this.page(
      'matches',
      person,
      cursor,
      async (at) => await this.dating.db.matchesOf({ user: `user:${person}` }, { cursor: at }),
    );
    return { items: await this.found(person, items), ...more };
  }

  /** DA-9. */
  async newestMatches(person: string): Promise<readonly Match[]> {
    return (await this.dating.db.newestMatchesOf({ user: `user:${person}` })).items;
  }

  /** Matches with the names of the others. */
  async found(person: string, matches: readonly Match[]): Promise<readonly Found[]> {
    const named = await this.profiles(matches.map((match) => otherOf(match, person)));
    return matches.map((match) => ({ match, other: profileOf(named, otherOf(match, person)) }));
  }

  /** DA-6. @throws {HttpError} 404; 403 for a user who is not part of the match. */
  async match(person: string, matchId: string): Promise<Match> {
    const match = await this.dating.db.match({ matchId });
    if (match === undefined) throw new HttpError(404, 'not-found', 'There is no such match.');
    if (!usersOf(match).includes(person))
      throw new HttpError(403, 'not-yours', 'This match is between two other people.');
    return match;
  }

  /** DA-W4. */
  async see(person: string, matchId: string): Promise<Match> {
    await this.match(person, matchId);
    await this.dating.see(matchId, person);
    return await this.match(person, matchId);
  }

  /** DA-W6. */
  async letGo(person: string, matchId: string): Promise<void> {
    const [one, other] = usersOf(await this.match(person, matchId));
    await this.dating.unmatch(matchId, one, other);
  }

  /** DA-W7, with the number of stale matches in each shard. */
  async sweep(): Promise<Sweep & { readonly byShard: readonly number[] }> {
    const byShard = Array.from({ length: SHARDS }, () => 0);
    const swept = await this.dating.sweep({
      act: async ({ matchId }) => {
        const shard = shardNumber(matchId, SHARDS);
        byShard[shard] = (byShard[shard] ?? 0) + 1;
        return await Promise.resolve('expire' as const);
      },
    });
    return { ...swept, byShard };
  }

  async #newFaces(person: string, without: ReadonlySet<string>): Promise<readonly string[]> {
    const wanted = this.#faces.filter((each) => each !== person && !without.has(each)).slice(0, FACES_AT_ONCE);
    if (wanted.length === 0) return [];
    const given = await this.dating.db.likesReturned(wanted.map((liked) => ({ liker: person, liked })));
    return wanted.filter((_, at) => given[at]?.deleted !== false);
  }
}

/** The other user of a match. */
export function otherOf(match: Match, person: string): string {
  const [one, other] = usersOf(match);
  return one === person ? other : one;
}

/** The id is the name of a user without a profile. */
export function profileOf(named: ReadonlyMap<string, Profile>, userId: string): Profile {
  return named.get(userId) ?? { userId, name: userId };
}

function likerOf({ liker }: Like): string {
  return liker;
}
