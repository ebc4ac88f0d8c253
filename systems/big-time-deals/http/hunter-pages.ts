import { z } from 'zod';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, picture } from '../../http/page-frame.ts';
import { type Action, action, type Screen, screen } from '../../http/screens.ts';
import type { SignIn } from '../../http/sign-in.ts';
import type { BigTimeDeals } from '../big-time-deals.ts';
import type { DealList } from '../catalogue.ts';
import { CATEGORIES } from '../categories.ts';
import type { Deal, FeaturedDeal, ListPosition } from '../connection.ts';
import { THE_EDITORS } from './editor-pages.ts';
import type { Once } from './once.ts';
import { inboxQuery, listQuery, newUser, settings } from './shapes.ts';

export interface PagesOptions {
  readonly site: BigTimeDeals;
  readonly once: Once;
  readonly signIn: SignIn;
}

/** An empty field removes the setting. */
const emptied = z.literal('').transform(() => null);
const ownSettings = z.object({
  email: settings.shape.email.unwrap(),
  birthday: emptied.or(settings.shape.birthday.unwrap()),
});
const signUp = newUser.pick({ username: true, email: true });

/** The screens of hunters: lists of deals, a deal, the inbox, settings. */
export function hunterScreens({ site: { catalogue, members, inbox } }: PagesOptions): readonly Screen[] {
  return [
    screen({
      path: '/',
      serves: ['BTD-07', 'BTD-25'],
      query: listQuery,
      show: async ({ query }) => {
        const { featured, ...list } = await catalogue.frontPage(positionOf(query));
        const isFirst = query.after === undefined && query.cursor === undefined;
        return {
          title: isFirst ? 'Deals' : 'Older deals',
          teaches:
            'Everybody wants the deals of today, so ten identical items hold them and one is picked at random: its number is in the strip. Older deals are one partition per day.',
          main: html`${isFirst && featuredRow(featured)}${isFirst && categoryLinks()}${dealList('/', list)}`,
        };
      },
    }),
    screen({
      path: '/editors-choice',
      serves: ['BTD-09'],
      show: async () => {
        const chosen = await catalogue.editorsChoice();
        return {
          title: "Editors' choice",
          teaches: 'One item with copies of the deals. A copy stays as it was when the deal changes.',
          main: html`${chosen.length === 0 && html`<p>Nothing has been chosen yet.</p>`}
            <ul class="rows">
              ${chosen.map(featuredItem)}
            </ul>`,
        };
      },
    }),
    screen({
      path: '/deals/{dealId}',
      serves: ['BTD-12'],
      show: async ({ path }) => {
        const { title, price, brand, category, link, createdAt, dealId } = await catalogue.deal(path.dealId);
        return {
          title,
          teaches:
            'The id contains the time at which the deal was made, so the id alone tells on which day a list continues.',
          main: html`<div class="columns">
            ${picture('still', dealId, 480, 384)}
            <div>
              <p class="figure">${money(price)}</p>
              <p>
                by <a href="${brandPath(brand)}">${brand}</a>, in <a href="${categoryPath(category)}">${category}</a>,
                ${dayOf(createdAt)}
              </p>
              <p><a class="button" href="${link}" rel="noreferrer">To the shop</a></p>
              <p class="small mono">${dealId}</p>
            </div>
          </div>`,
        };
      },
    }),
    screen({
      path: '/brands',
      serves: ['BTD-11'],
      show: async () => {
        const brands = await catalogue.brandsWithIcons();
        return {
          title: 'Brands',
          teaches: 'The names are one item, a set. Their icons take one more request for each hundred brands.',
          main: html`<ul class="rows">
            ${brands.map(({ brand }) => html`<li>${picture('mark', brand, 30)}<a class="grow" href="${brandPath(brand)}">${brand}</a></li>`)}
          </ul>`,
        };
      },
    }),
    screen({
      path: '/brands/{brand}',
      serves: ['BTD-10'],
      query: listQuery,
      show: async ({ path, query, person }) => {
        const { brand: found, ...list } = await catalogue.brand(path.brand, positionOf(query));
        return {
          title: found.brand,
          teaches:
            'A like is an item of its own, written in one transaction with the count on the brand: a second like of the same user fails, and nothing is counted twice.',
          main: html`${likes(brandPath(found.brand), found, person)}${dealList(brandPath(found.brand), list)}`,
        };
      },
    }),
    screen({
      path: '/categories/{category}',
      serves: ['BTD-08'],
      query: listQuery,
      show: async ({ path, query, person }) => {
        const { category: found, ...list } = await catalogue.category(path.category, positionOf(query));
        return {
          title: found.category,
          teaches: 'The same deals in a third index, one partition for each category and day.',
          main: html`${likes(categoryPath(found.category), found, person)}${featuredRow(found.featuredDeals)}${dealList(categoryPath(found.category), list)}`,
        };
      },
    }),
    screen({
      path: '/inbox',
      serves: ['SS-02', 'BTD-18', 'BTD-19'],
      signedIn: true,
      query: inboxQuery,
      show: async ({ person = '', query: { unread = false, cursor } }) => {
        const page = await inbox.messages(person, { unreadOnly: unread, cursor });
        const here = (more: Readonly<Record<string, string>>): string =>
          `/inbox?${new URLSearchParams(more).toString()}`;
        return {
          title: 'Inbox',
          teaches:
            'Only unread messages are in the index: reading one removes its key, and the list of unread messages reads nothing else.',
          main: html`<p class="inline">
              ${unread ? html`<a href="/inbox">All</a><strong>Unread</strong>` : html`<strong>All</strong><a href="/inbox?unread=true">Unread</a>`}
            </p>
            ${page.items.length === 0 && html`<p>No messages.</p>`}
            <ul class="rows">
              ${page.items.map(
                ({ messageId, subject, body, dealId, unread: isUnread, createdAt }) =>
                  html`<li>
                    <span class="state ${isUnread ? '' : 'full'}">${isUnread ? 'New' : 'Read'}</span
                    ><span class="grow"
                      >${subject}: ${dealId === undefined ? body : html`<a href="/deals/${dealId}">${body}</a>`}<br /><small
                        >${dayOf(createdAt)}</small
                      ></span
                    >${
                      isUnread &&
                      form(
                        `/inbox/${messageId}/read`,
                        html`<button class="second" aria-label="Mark as read: ${subject}">Mark as read</button>`,
                      )
                    }
                  </li>`,
              )}
            </ul>
            ${page.cursor !== undefined && html`<a class="button second" href="${here({ unread: String(unread), cursor: page.cursor })}">Older messages</a>`}`,
        };
      },
    }),
    screen({
      path: '/settings',
      serves: ['SS-02', 'BTD-27'],
      signedIn: true,
      show: async ({ person = '', refused }) => {
        if (person === THE_EDITORS)
          return { title: 'You', main: html`<p>To the <a href="/editors">editors' desk</a></p>` };
        const { email, birthday, createdAt } = await members.settings(person);
        return {
          title: person,
          teaches: 'An empty birthday removes the attribute; the request changes only what was sent.',
          main: html`<p>Member since ${dayOf(createdAt)}</p>
            ${form(
              '/settings',
              html`${field('email', 'E-mail address', { refused, type: 'email', value: email })}${field('birthday', 'Birthday', { refused, type: 'date', value: birthday ?? '' })}<button>
                  Save
                </button>`,
              'Settings',
            )}
            <p><a href="/editors">Editors' desk</a></p>`,
        };
      },
    }),
    screen({
      path: '/sign-up',
      serves: ['BTD-13'],
      show: async ({ refused }) =>
        await Promise.resolve({
          title: 'Sign up',
          main: form(
            '/sign-up',
            html`${field('username', 'Username', { refused, hint: 'letters, digits, - and _' })}${field('email', 'E-mail address', { refused, type: 'email' })}<button>
                Sign up
              </button>`,
            'Sign up',
          ),
        }),
    }),
  ];
}

/** What the forms of hunters do. */
export function hunterActions({ site: { members, inbox }, once, signIn }: PagesOptions): readonly Action[] {
  const anything = z.object({});
  return [
    action({
      path: '/sign-up',
      of: '/sign-up',
      form: signUp,
      act: async ({ form: given, key }) => {
        const { username } = await once.signUp(given, key);
        return await signIn.enter(username, key, '/settings');
      },
    }),
    action({
      path: '/settings',
      of: '/settings',
      signedIn: true,
      form: ownSettings,
      act: async ({ form: { email, birthday }, person = '' }) => {
        await members.changeSettings(person, { email, birthday: birthday ?? undefined });
        return { to: '/settings' };
      },
    }),
    action({
      path: '/inbox/{messageId}/read',
      of: '/inbox',
      signedIn: true,
      form: anything,
      act: async ({ path, person = '' }) => {
        await inbox.markRead(person, path.messageId);
        return { to: '/inbox' };
      },
    }),
    ...(['like', 'watch'] as const).flatMap((deed) => [
      action({
        path: `/brands/{brand}/${deed}`,
        of: '/brands/{brand}',
        signedIn: true,
        form: anything,
        act: async ({ path: { brand }, person = '' }) => {
          await (deed === 'like' ? members.likeBrand(person, brand) : members.watchBrand(person, brand));
          return { to: brandPath(brand) };
        },
      }),
      action({
        path: `/categories/{category}/${deed}`,
        of: '/categories/{category}',
        signedIn: true,
        form: anything,
        act: async ({ path: { category }, person = '' }) => {
          await (deed === 'like' ? members.likeCategory(person, category) : members.watchCategory(person, category));
          return { to: categoryPath(category) };
        },
      }),
    ]),
  ];
}

function featuredRow(featured: readonly FeaturedDeal[]): Markup | undefined {
  if (featured.length === 0) return undefined;
  return html`<ul class="featured" tabindex="0" aria-label="Featured deals">
    ${featured.map(({ id, name, price }) => html`<li>${picture('still', id, 180, 144)}<a href="/deals/${id}">${name}</a><br /><span class="price">${money(price)}</span></li>`)}
  </ul>`;
}

function featuredItem({ id, name, price }: FeaturedDeal): Markup {
  return html`<li>
    ${picture('still', id, 60, 48)}<a class="grow" href="/deals/${id}">${name}</a
    ><span class="price">${money(price)}</span>
  </li>`;
}

function categoryLinks(): Markup {
  return html`<nav class="inline" aria-label="Categories">
    ${CATEGORIES.map((category) => html`<a href="${categoryPath(category)}">${category}</a>`)}<a href="/editors-choice"
      >Editors' choice</a
    >
  </nav>`;
}

/** The days of a list are headings, as they are partitions. */
function dealList(path: string, { deals, next }: DealList): Markup {
  const days = [...new Set(deals.map(({ createdAt }) => createdAt.slice(0, 10)))];
  const older = Object.entries({ after: next?.lastDealId, cursor: next?.cursor }).filter(
    (each): each is [string, string] => each[1] !== undefined,
  );
  return html`${deals.length === 0 && html`<p>No deals in these days.</p>`}
  ${days.map(
    (day) =>
      html`<h2>${dayOf(day)}</h2>
        <ul class="rows">
          ${deals.filter(({ createdAt }) => createdAt.startsWith(day)).map(dealItem)}
        </ul>`,
  )}
  ${next !== undefined && html`<a class="button second" href="${path}?${new URLSearchParams(older).toString()}">Older deals</a>`}`;
}

function dealItem({ dealId, title, brand, price }: Deal): Markup {
  return html`<li>
    ${picture('still', dealId, 60, 48)}<span class="grow"
      ><a href="/deals/${dealId}">${title}</a><br /><small>by <a href="${brandPath(brand)}">${brand}</a></small></span
    ><span class="price">${money(price)}</span>
  </li>`;
}

function likes(
  path: string,
  {
    likeCount = 0,
    watchCount = 0,
  }: { readonly likeCount?: number | undefined; readonly watchCount?: number | undefined },
  person: string | undefined,
): Markup {
  return html`<div class="inline">
    <span>${likeCount.toLocaleString('en-US')} likes, ${watchCount.toLocaleString('en-US')} watch it</span>${
      person === undefined
        ? html`<a href="/sign-in">Sign in to like it</a>`
        : html`${form(`${path}/like`, html`<button class="second">Like</button>`)}${form(`${path}/watch`, html`<button class="second">Watch</button>`)}`
    }
  </div>`;
}

function positionOf({ after, cursor }: z.output<typeof listQuery>): ListPosition {
  return { lastDealId: after, cursor };
}

function brandPath(brand: string): string {
  return `/brands/${encodeURIComponent(brand)}`;
}

function categoryPath(category: string): string {
  return `/categories/${encodeURIComponent(category)}`;
}

function money(price: number | undefined): string | undefined {
  return price?.toLocaleString('en-US', { style: 'currency', currency: 'USD' });
}

function dayOf(time: string): string {
  return new Date(time).toLocaleDateString('en-US', {
    month: 'long',
    day: 'numeric',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
