import { HttpError } from '../../http/http-error.ts';
import { type Route, route } from '../../http/route.ts';
import { SESSION } from '../../http/sign-in.ts';
import { PREFIX } from '../../http/web-application.ts';
import type { BigTimeDeals } from '../big-time-deals.ts';
import type { DealList } from '../catalogue.ts';
import type { ListPosition } from '../connection.ts';
import { type Once, onceIsEnough } from './once.ts';
import * as shapes from './shapes.ts';

const noSuch = (what: string): { readonly description: string } => ({ description: `No such ${what}` });
const done = { description: 'Done' };

const signedOut = { 401: { description: 'Not signed in' }, 403: { description: 'Of another user' } };

/** The signed-in user of a request. @throws {HttpError} 401 */
export type Requires = (request: Pick<Request, 'headers'>) => Promise<string>;

/** The mobile app's screens and buttons. */
export function hunterRoutes(
  { catalogue, members, inbox }: BigTimeDeals,
  { once, required }: { readonly once: Once; readonly required: Requires },
): readonly Route[] {
  const requireOwn = async (request: Pick<Request, 'headers'>, username: string): Promise<void> => {
    if ((await required(request)) !== username) throw new HttpError(403, 'not-yours', 'This belongs to another user.');
  };
  return [
    route({
      method: 'GET',
      path: '/front-page',
      operationId: 'getFrontPage',
      summary: 'Featured deals and the latest deals',
      tag: 'Deals',
      serves: ['BTD-07', 'BTD-25'],
      query: shapes.listQuery,
      answers: { 200: { description: 'The page', schema: shapes.frontPage } },
      handle: async ({ query }) => {
        const { featured, ...list } = await catalogue.frontPage(positionOf(query));
        return { status: 200, body: { featured, ...linked('/front-page', list) } };
      },
    }),
    route({
      method: 'GET',
      path: '/editors-choice',
      operationId: 'getEditorsChoice',
      summary: 'Unusual deals that editors have chosen',
      tag: 'Deals',
      serves: ['BTD-09'],
      answers: { 200: { description: 'The list', schema: shapes.featuredDeals } },
      handle: async () => ({ status: 200, body: { featuredDeals: await catalogue.editorsChoice() } }),
    }),
    route({
      method: 'GET',
      path: '/deals/{dealId}',
      operationId: 'getDeal',
      summary: 'One deal',
      tag: 'Deals',
      serves: ['BTD-12'],
      answers: { 200: { description: 'The deal', schema: shapes.deal }, 404: noSuch('deal') },
      handle: async ({ path }) => ({ status: 200, body: await catalogue.deal(path.dealId) }),
    }),
    route({
      method: 'GET',
      path: '/categories/{category}',
      operationId: 'getCategory',
      summary: 'A category with its featured and its latest deals',
      tag: 'Categories',
      serves: ['BTD-08'],
      query: shapes.listQuery,
      answers: { 200: { description: 'The page', schema: shapes.categoryPage }, 404: noSuch('category') },
      handle: async ({ path, query }) => {
        const { category, ...list } = await catalogue.category(path.category, positionOf(query));
        return { status: 200, body: { category, ...linked(`/categories/${encodeURIComponent(path.category)}`, list) } };
      },
    }),
    route({
      method: 'PUT',
      path: '/categories/{category}/likes/{username}',
      operationId: 'likeCategory',
      summary: 'Like a category',
      tag: 'Categories',
      security: SESSION,
      serves: ['BTD-16'],
      answers: { ...signedOut, 204: done, 404: noSuch('category') },
      handle: async ({ path, request }) => {
        await requireOwn(request, path.username);
        await onceIsEnough(members.likeCategory(path.username, path.category));
        return { status: 204 };
      },
    }),
    route({
      method: 'PUT',
      path: '/categories/{category}/watchers/{username}',
      operationId: 'watchCategory',
      summary: 'Get a message for each new deal of a category',
      tag: 'Categories',
      security: SESSION,
      serves: ['BTD-17'],
      answers: { ...signedOut, 204: done, 404: noSuch('category') },
      handle: async ({ path, request }) => {
        await requireOwn(request, path.username);
        await onceIsEnough(members.watchCategory(path.username, path.category));
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: '/brands',
      operationId: 'getBrands',
      summary: 'All brands in alphabetical order',
      tag: 'Brands',
      serves: ['BTD-11'],
      answers: { 200: { description: 'The list', schema: shapes.brandList } },
      handle: async () => ({ status: 200, body: { brands: await catalogue.brandsWithIcons() } }),
    }),
    route({
      method: 'GET',
      path: '/brands/{brand}',
      operationId: 'getBrand',
      summary: 'A brand with its latest deals',
      tag: 'Brands',
      serves: ['BTD-10'],
      query: shapes.listQuery,
      answers: { 200: { description: 'The page', schema: shapes.brandPage }, 404: noSuch('brand') },
      handle: async ({ path, query }) => {
        const { brand, ...list } = await catalogue.brand(path.brand, positionOf(query));
        return { status: 200, body: { brand, ...linked(`/brands/${encodeURIComponent(path.brand)}`, list) } };
      },
    }),
    route({
      method: 'PUT',
      path: '/brands/{brand}/likes/{username}',
      operationId: 'likeBrand',
      summary: 'Like a brand',
      tag: 'Brands',
      security: SESSION,
      serves: ['BTD-14'],
      answers: { ...signedOut, 204: done, 404: noSuch('brand') },
      handle: async ({ path, request }) => {
        await requireOwn(request, path.username);
        await onceIsEnough(members.likeBrand(path.username, path.brand));
        return { status: 204 };
      },
    }),
    route({
      method: 'PUT',
      path: '/brands/{brand}/watchers/{username}',
      operationId: 'watchBrand',
      summary: 'Get a message for each new deal of a brand',
      tag: 'Brands',
      security: SESSION,
      serves: ['BTD-15'],
      answers: { ...signedOut, 204: done, 404: noSuch('brand') },
      handle: async ({ path, request }) => {
        await requireOwn(request, path.username);
        await onceIsEnough(members.watchBrand(path.username, path.brand));
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/users',
      operationId: 'signUp',
      summary: 'Create a user',
      description: 'With an Idempotency-Key, a repeated request is answered with the user of the first one.',
      takesKey: true,
      tag: 'Users',
      serves: ['BTD-13'],
      body: shapes.newUser,
      answers: { 201: { description: 'The user', schema: shapes.user }, 409: { description: 'The name is taken' } },
      handle: async ({ body, key }) => ({ status: 201, body: await once.signUp(body, key) }),
    }),
    route({
      method: 'GET',
      path: '/users/{username}',
      operationId: 'getSettings',
      summary: 'Settings of a user',
      tag: 'Users',
      security: SESSION,
      serves: ['BTD-27'],
      answers: { ...signedOut, 200: { description: 'The user', schema: shapes.user }, 404: noSuch('user') },
      handle: async ({ path, request }) => {
        await requireOwn(request, path.username);
        return { status: 200, body: await members.settings(path.username) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/users/{username}',
      operationId: 'changeSettings',
      summary: 'Change settings; what is null is removed',
      tag: 'Users',
      security: SESSION,
      serves: ['BTD-27'],
      body: shapes.settings,
      answers: { ...signedOut, 200: { description: 'The user', schema: shapes.user }, 404: noSuch('user') },
      handle: async ({ path, request, body }) => {
        await requireOwn(request, path.username);
        const change = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? undefined]));
        return { status: 200, body: await members.changeSettings(path.username, change) };
      },
    }),
    route({
      method: 'GET',
      path: '/users/{username}/messages',
      operationId: 'getMessages',
      summary: 'The inbox, newest first: all messages, or the unread ones',
      tag: 'Users',
      security: SESSION,
      serves: ['BTD-18', 'BTD-19'],
      query: shapes.inboxQuery,
      answers: { ...signedOut, 200: { description: 'Messages', schema: shapes.messageList } },
      handle: async ({ path, request, query: { unread = false, cursor } }) => {
        await requireOwn(request, path.username);
        const page = await inbox.messages(path.username, { unreadOnly: unread, cursor });
        const here = `/users/${encodeURIComponent(path.username)}/messages`;
        const next =
          page.cursor === undefined ? undefined : link(here, { unread: String(unread), cursor: page.cursor });
        return { status: 200, body: { messages: page.items, next } };
      },
    }),
    route({
      method: 'PUT',
      path: '/users/{username}/messages/{messageId}/read',
      operationId: 'markMessageRead',
      summary: 'Mark a message as read',
      tag: 'Users',
      security: SESSION,
      serves: ['BTD-20'],
      answers: { ...signedOut, 204: done, 404: noSuch('message') },
      handle: async ({ path, request }) => {
        await requireOwn(request, path.username);
        await inbox.markRead(path.username, path.messageId);
        return { status: 204 };
      },
    }),
  ];
}

function positionOf({ after, cursor }: { after?: string | undefined; cursor?: string | undefined }): ListPosition {
  return { lastDealId: after, cursor };
}

function linked(path: string, { deals, next }: DealList): object {
  return { deals, next: next && link(path, { after: next.lastDealId, cursor: next.cursor }) };
}

function link(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((each): each is [string, string] => each[1] !== undefined);
  return `${PREFIX}${path}?${new URLSearchParams(given).toString()}`;
}
