import { type Route, route } from '../../http/route.ts';
import type { BigTimeDeals } from '../big-time-deals.ts';
import { editorsChoiceList, featuredList } from '../model.ts';
import { z } from 'zod';
import type { Once } from './once.ts';
import * as shapes from './shapes.ts';

/** The security scheme of these operations. */
export const EDITOR = 'editor';

const common = { tag: 'Editors', security: EDITOR } as const;
const afterwards = 'What follows from it happens within moments, by the stream of changes.';
const repeated = 'With an Idempotency-Key, a repeated request is answered as the first one.';
const noToken = { description: 'No token of an editor' };
const done = { description: 'Done' };

/** The content management system. */
export function editorRoutes({ editors }: BigTimeDeals, once: Once): readonly Route[] {
  return [
    route({
      ...common,
      method: 'POST',
      path: '/editor/deals',
      operationId: 'createDeal',
      summary: 'Add a deal; those who watch its brand or its category get a message',
      description: `${afterwards} With an Idempotency-Key, a repeated request is answered with the deal of the first one.`,
      takesKey: true,
      serves: ['BTD-01', 'BTD-22', 'BTD-23', 'BTD-24', 'BTD-26'],
      body: shapes.newDeal,
      answers: {
        201: { description: 'The deal', schema: shapes.deal },
        401: noToken,
        404: { description: 'No such brand or category' },
      },
      handle: async ({ body, key }) => ({ status: 201, body: await once.addDeal(body, key) }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/editor/brands',
      operationId: 'createBrand',
      summary: 'Add a brand',
      description: `${afterwards} ${repeated}`,
      takesKey: true,
      serves: ['BTD-02', 'BTD-28'],
      body: shapes.newBrand,
      answers: { 204: done, 401: noToken, 409: { description: 'The brand is there' } },
      handle: async ({ body: { brand, brandLogoUrl }, key }) => {
        await once.createBrand({ brand, ...(brandLogoUrl !== undefined && { brandLogoUrl }) }, key);
        return { status: 204 };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/editor/categories',
      operationId: 'createCategory',
      summary: 'Add a category',
      description: repeated,
      takesKey: true,
      serves: ['BTD-03'],
      body: shapes.newCategory,
      answers: { 204: done, 401: noToken, 409: { description: 'The category is there' } },
      handle: async ({ body, key }) => {
        await once.createCategory(body.category, key);
        return { status: 204 };
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/editor/front-page/featured',
      operationId: 'setFrontPage',
      summary: 'Set the featured deals of the front page: the whole list',
      description: afterwards,
      serves: ['BTD-04', 'BTD-28'],
      body: z.object({ featuredDeals: featuredList }),
      answers: { 204: done, 401: noToken },
      handle: async ({ body }) => {
        await editors.featureOnFrontPage(body.featuredDeals);
        return { status: 204 };
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/editor/categories/{category}/featured',
      operationId: 'setCategoryFeatured',
      summary: 'Set the featured deals of a category: the whole list',
      serves: ['BTD-05'],
      body: z.object({ featuredDeals: featuredList }),
      answers: { 204: done, 401: noToken, 404: { description: 'No such category' } },
      handle: async ({ path, body }) => {
        await editors.featureInCategory(path.category, body.featuredDeals);
        return { status: 204 };
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/editor/editors-choice/featured',
      operationId: 'setEditorsChoice',
      summary: "Set the editors' choice: the whole list",
      description: afterwards,
      serves: ['BTD-06', 'BTD-28'],
      body: z.object({ featuredDeals: editorsChoiceList }),
      answers: { 204: done, 401: noToken },
      handle: async ({ body }) => {
        await editors.chooseAsEditors(body.featuredDeals);
        return { status: 204 };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/editor/blasts',
      operationId: 'tellEverybody',
      summary: 'Send a message to all users',
      description:
        'With an Idempotency-Key, or with the `blastId` of an earlier answer, a repeated request sends it to those whom the first one did not reach.',
      takesKey: true,
      serves: ['BTD-21', 'BTD-26'],
      body: shapes.hotDeal,
      answers: { 200: { description: 'How many got it by this request', schema: shapes.blast }, 401: noToken },
      handle: async ({ body, key }) => ({ status: 200, body: await once.tellEverybody(body, key) }),
    }),
  ];
}
