import { shardNumber } from '@singlet/model';
import { z } from 'zod';
import { type Clock, epochSecondsOf, isoSeconds } from '../../clock.ts';
import { cookieOf } from '../../http/credentials.ts';
import { html, type Markup } from '../../http/markup.ts';
import { form, picture } from '../../http/page-frame.ts';
import { type Action, action, type Screen, screen } from '../../http/screens.ts';
import type { Match } from '../dating.ts';
import { SHARDS } from '../model.ts';
import { type Card, type Found, type House, otherOf, profileOf } from './house.ts';
import { id } from './routes.ts';

export interface PagesOptions {
  readonly house: House;
  readonly clock: Clock;
}

/** Users whom a visitor has hidden for now, in the visitor's own browser: it is not a pattern of the model. */
const NOT_NOW = 'two-of-us-not-now';
const NOT_NOW_MAX = 200;
/** Browsers drop a cookie of more than 4096 bytes, and an id can have more than a thousand. */
const NOT_NOW_BYTES_MAX = 3800;
const NOT_NOW_SECONDS = 7 * 86_400;
const DAY_SECONDS = 86_400;
/** A match that neither user has seen for this long is stale. */
const KEPT_DAYS = 30;
const LISTED_MAX = 6;
const CROSS = 'M5 5l14 14M19 5L5 19';
const HEART = 'M12 21C5 15 2 12 2 8a5 5 0 0 1 10-1.5A5 5 0 0 1 22 8c0 4-3 7-10 13z';
const BACK = 'M9 5L4 10l5 5M4 10h10a5 5 0 0 1 0 10h-3';

/** The screens: the deck, matches, a match, likes given, the sweep. */
export function screensOf(options: PagesOptions): readonly Screen[] {
  return [deckScreen(options), ...matchScreens(options), ...likeScreens(options), sweepScreen(options)];
}

function deckScreen({ house, clock }: PagesOptions): Screen {
  return screen({
    path: '/',
    serves: ['SS-02', 'DA-8', 'DA-9'],
    signedIn: true,
    query: z.object({ matched: id.optional() }),
    show: async ({ person = '', query, request }) => {
      const [{ cards }, newest] = await Promise.all([
        house.deck(person, { without: notNow(request, person) }),
        house.newestMatches(person),
      ]);
      const named = await house.profiles(newest.map((match) => otherOf(match, person)));
      const [card, ...rest] = cards;
      return {
        title: 'Likes you',
        teaches:
          'One query lists the likes that were received, and one batch looks which were returned. The names are read by a batch of their own: they cost as much as the likes, and a copy of the name on the like would save it, until somebody changes a name.',
        main: html`${query.matched !== undefined && html`<p class="matched" role="status">It is a match. <a href="/matches/${query.matched}">Look at it</a></p>`}
          <div class="deck">
            <section>
              <h2>Next</h2>
              <ul class="rows">
                ${rest.slice(0, LISTED_MAX).map(
                  (each) =>
                    html`<li>
                      ${picture('face', each.userId, 40)}<span class="grow"
                        >${each.name}<br /><small>${since(each, clock)}</small></span
                      >
                    </li>`,
                )}
              </ul>
              ${rest.length > LISTED_MAX && html`<p>and ${rest.length - LISTED_MAX} more</p>`}
            </section>
            <section>
              ${card === undefined ? html`<p>That was all for now. <a href="/matches">Your matches</a></p>` : cardOf(card, clock)}
            </section>
            <section>
              <h2>Newest matches</h2>
              ${matchList(
                newest.map((match) => ({ match, other: profileOf(named, otherOf(match, person)) })),
                clock,
              )}
            </section>
          </div>`,
      };
    },
  });
}

function matchScreens({ house, clock }: PagesOptions): readonly Screen[] {
  return [
    screen({
      path: '/matches',
      serves: ['SS-02', 'DA-1'],
      signedIn: true,
      query: z.object({ cursor: z.string().max(4000).optional() }),
      show: async ({ person = '', query }) => {
        const { items, cursor } = await house.matches(person, query.cursor);
        return {
          title: 'Matches',
          teaches:
            'A match is one item, found under either of its two by an index each: two queries, merged by time, and nothing is stored twice.',
          main: html`${matchList(items, clock)}
          ${cursor !== undefined && html`<a class="button second" href="/matches?${new URLSearchParams({ cursor }).toString()}">Earlier matches</a>`}`,
        };
      },
    }),
    screen({
      path: '/matches/{matchId}',
      serves: ['SS-02', 'DA-6'],
      signedIn: true,
      show: async ({ path, person = '' }) => {
        const match = await house.match(person, path.matchId);
        const [found] = await house.found(person, [match]);
        const left = daysLeft(match, clock);
        return {
          title: `You and ${found?.other.name ?? ''}`,
          teaches:
            'Looking at a match moves it in the index by which the sweep finds stale matches. A condition on the write keeps the later view.',
          main: html`<p class="pair">${picture('face', person, 120)}${picture('face', otherOf(match, person), 120)}</p>
            <p>Since ${match.matchedAt.slice(0, 10)}. ${left} days left.</p>
            ${daysBar(left, 'Days left')}
            <div class="inline">
              ${form(`/matches/${path.matchId}/seen`, html`<button>Say hello</button>`)}
              ${form(`/matches/${path.matchId}/end`, html`<button class="second">Let go</button>`)}
            </div>`,
        };
      },
    }),
  ];
}

function likeScreens({ house }: PagesOptions): readonly Screen[] {
  return [
    screen({
      path: '/likes',
      serves: ['SS-02', 'DA-4'],
      signedIn: true,
      query: z.object({ cursor: z.string().max(4000).optional() }),
      show: async ({ person = '', query }) => {
        const { items, cursor } = await house.page(
          'given',
          person,
          query.cursor,
          async (at) => await house.dating.db.likesGiven({ liker: person }, { cursor: at }),
        );
        const named = await house.profiles(items.map(({ liked }) => liked));
        return {
          title: 'You like',
          teaches:
            'Likes that were taken back stay as items, so that the other like can look at them in its transaction; a filter leaves them out here.',
          main: html`<ul class="rows">
              ${items.map(({ liked, likedAt }) => {
                const { name } = profileOf(named, liked);
                return html`<li>
                  ${picture('face', liked, 40)}<span class="grow"
                    >${name}<br /><small>${likedAt.slice(0, 10)}</small></span
                  >${form('/unlike', html`<input type="hidden" name="userId" value="${liked}" /><button class="second" aria-label="Take back the like of ${name}, ${liked}">Take back</button>`)}
                </li>`;
              })}
            </ul>
            ${cursor !== undefined && html`<a class="button second" href="/likes?${new URLSearchParams({ cursor }).toString()}">More likes</a>`}`,
        };
      },
    }),
  ];
}

function sweepScreen({ house, clock }: PagesOptions): Screen {
  return screen({
    path: '/sweep',
    serves: ['DA-3', 'DA-W7'],
    query: z.object({ expired: z.coerce.number().int().min(0).optional() }),
    show: async ({ query }) => {
      const before = isoSeconds(epochSecondsOf(clock) - KEPT_DAYS * DAY_SECONDS);
      const { items, cursor } = await house.dating.db.staleMatches({ lastSeenAt: { before } });
      const counts = Array.from(
        { length: SHARDS },
        (_, shard) => items.filter(({ matchId }) => shardNumber(matchId, SHARDS) === shard).length,
      );
      return {
        title: 'The sweep',
        teaches:
          'What is stale is at the beginning of each shard, in the order of time: as many short reads as there are shards find it, however many matches there are.',
        main: html`${query.expired !== undefined && html`<p role="status">${query.expired} matches were ended.</p>`}
          <p>
            ${items.length}${cursor !== undefined && ' and more'} matches that neither has looked at for ${KEPT_DAYS}
            days, by shard:
          </p>
          <table class="shards">
            <tbody>
              ${counts.map(
                (count, shard) =>
                  html`<tr>
                    <th scope="row">Match#${shard}</th>
                    <td>
                      <progress
                        max="${Math.max(1, ...counts)}"
                        value="${count}"
                        aria-label="Stale matches of shard ${shard}"
                      ></progress>
                    </td>
                    <td>${count}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
          ${form('/sweep', html`<button>Sweep</button>`)}`,
      };
    },
  });
}

/** What the forms do. */
export function actionsOf({ house }: PagesOptions): readonly Action[] {
  const someone = z.object({ userId: id });
  return [
    action({
      path: '/like',
      of: '/',
      signedIn: true,
      form: someone,
      act: async ({ form: { userId }, person = '' }) => {
        const { outcome, match } = await house.like(person, userId);
        return { to: outcome === 'matched' && match !== undefined ? `/?matched=${match.matchId}` : '/' };
      },
    }),
    action({
      path: '/not-now',
      of: '/',
      signedIn: true,
      form: someone,
      act: async ({ form: { userId }, person = '', request }) =>
        await Promise.resolve({ to: '/', cookie: notNowCookie(person, [...notNow(request, person), userId]) }),
    }),
    action({
      path: '/again',
      of: '/',
      signedIn: true,
      form: z.object({}),
      act: async ({ person = '', request }) =>
        await Promise.resolve({ to: '/', cookie: notNowCookie(person, [...notNow(request, person)].slice(0, -1)) }),
    }),
    action({
      path: '/unlike',
      of: '/likes',
      signedIn: true,
      form: someone,
      act: async ({ form: { userId }, person = '' }) => {
        await house.dating.unlike(person, userId);
        return { to: '/likes' };
      },
    }),
    action({
      path: '/matches/{matchId}/seen',
      of: '/matches/{matchId}',
      signedIn: true,
      form: z.object({}),
      act: async ({ path: { matchId }, person = '' }) => {
        await house.see(person, matchId);
        return { to: `/matches/${matchId}` };
      },
    }),
    action({
      path: '/matches/{matchId}/end',
      of: '/matches/{matchId}',
      signedIn: true,
      form: z.object({}),
      act: async ({ path: { matchId }, person = '' }) => {
        await house.letGo(person, matchId);
        return { to: '/matches' };
      },
    }),
    action({
      path: '/sweep',
      of: '/sweep',
      form: z.object({}),
      act: async () => ({ to: `/sweep?expired=${(await house.sweep()).expired}` }),
    }),
  ];
}

function cardOf(card: Card, clock: Clock): Markup {
  const { userId, name } = card;
  const button = (to: string, key: string, label: string, line: string, kind: string): Markup =>
    form(
      to,
      html`<input type="hidden" name="userId" value="${userId}" /><button
          class="round ${kind}"
          data-key="${key}"
          aria-label="${label}"
        >
          <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="${line}" /></svg>
        </button>`,
    );
  return html`<article class="card">
      ${picture('face', userId, 400)}
      <div>
        <h2>${name}</h2>
        <p>${since(card, clock)}</p>
      </div>
    </article>
    <div class="hands">
      ${button('/not-now', 'ArrowLeft', `Not now: ${name}`, CROSS, 'second')}
      ${button('/like', 'ArrowRight', `Like ${name}`, HEART, 'big')}
      ${button('/again', 'ArrowUp', 'Bring the last one back', BACK, 'second')}
    </div>
    <p class="small">Keys: left for not now, right for a like, up to bring the last one back.</p>`;
}

function matchList(matches: readonly Found[], clock: Clock): Markup {
  if (matches.length === 0) return html`<p>None yet.</p>`;
  return html`<ul class="rows">
    ${matches.map(({ match, other }) => {
      const left = daysLeft(match, clock);
      return html`<li>
        ${picture('face', other.userId, 40)}<span class="grow"
          ><a href="/matches/${match.matchId}">${other.name}</a><br /><small>${left} days left</small
          >${daysBar(left, `Days left with ${other.name}`)}</span
        >
      </li>`;
    })}
  </ul>`;
}

function daysBar(left: number, label: string): Markup {
  const kind = left > KEPT_DAYS / 2 ? 'many' : left > KEPT_DAYS / 6 ? 'some' : 'few';
  return html`<progress class="${kind}" max="${KEPT_DAYS}" value="${left}" aria-label="${label}"></progress>`;
}

/** Days left of a match, including the current one. */
function daysLeft({ lastSeenAt }: Match, clock: Clock): number {
  const seconds = Date.parse(lastSeenAt) / 1000 + KEPT_DAYS * DAY_SECONDS - epochSecondsOf(clock);
  return Math.min(KEPT_DAYS, Math.max(0, Math.ceil(seconds / DAY_SECONDS)));
}

function since({ likesYou, likedAt }: Card, clock: Clock): string {
  if (!likesYou || likedAt === undefined) return 'A new face';
  const days = Math.floor((epochSecondsOf(clock) - Date.parse(likedAt) / 1000) / DAY_SECONDS);
  return days <= 0 ? 'likes you since today' : `likes you since ${days} ${days === 1 ? 'day' : 'days'}`;
}

/** The users in the cookie, if it belongs to this visitor. */
function notNow(request: Pick<Request, 'headers'>, person: string): ReadonlySet<string> {
  const [owner, ...ids] = (cookieOf(request, NOT_NOW) ?? '').split('|');
  if (owner !== encodeURIComponent(person)) return new Set();
  return new Set(ids.slice(-NOT_NOW_MAX).flatMap((text) => id.safeParse(decoded(text)).data ?? []));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** With the latest of the users, as many as fit. */
function notNowCookie(person: string, ids: readonly string[]): string {
  let value = '';
  const owner = encodeURIComponent(person);
  for (const text of ids.slice(-NOT_NOW_MAX).map(encodeURIComponent).toReversed()) {
    if (owner.length + value.length + text.length >= NOT_NOW_BYTES_MAX) break;
    value = `|${text}${value}`;
  }
  return `${NOT_NOW}=${owner}${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${NOT_NOW_SECONDS}`;
}
