import { z } from 'zod';
import { HttpError } from '../../http/http-error.ts';
import { html } from '../../http/markup.ts';
import { field, form } from '../../http/page-frame.ts';
import { type Action, action, type Screen, screen, type Went } from '../../http/screens.ts';
import type { SignIn } from '../../http/sign-in.ts';
import type { BigTimeDeals } from '../big-time-deals.ts';
import { CATEGORIES } from '../categories.ts';
import { featuredCopy } from '../editors.ts';
import { editorsChoiceList, featuredList } from '../model.ts';
import type { Once } from './once.ts';
import { hotDeal, newBrand, newCategory, newDeal } from './shapes.ts';

/** The name of a session that began with the token of editors. No user can have this name. */
export const THE_EDITORS = 'editor:desk';

const FRONT_PAGE = 'Front page';
const CHOICE = "Editors' choice";
const PLACES = [FRONT_PAGE, CHOICE, ...CATEGORIES];
const FEATURED_IDS_MAX = 100;

const dealForm = newDeal
  .pick({ title: true, brand: true, category: true, link: true })
  .extend({ price: z.coerce.number().pipe(newDeal.shape.price) });
const featureForm = z.object({ where: z.enum(PLACES), dealIds: z.string().max(10_000) });

interface EditorPagesOptions {
  readonly site: BigTimeDeals;
  readonly once: Once;
  readonly signIn: SignIn;
}

/** The desk of editors: one screen, with a form for each of their tasks. */
export function editorScreens({ site: { catalogue } }: EditorPagesOptions): readonly Screen[] {
  return [
    screen({
      path: '/editors',
      serves: ['SS-02', 'BTD-11'],
      show: async ({ person, refused }) => {
        if (person !== THE_EDITORS) {
          return {
            title: "Editors' desk",
            main: form(
              '/editors',
              html`${field('token', 'Token of editors', { refused, type: 'password', hint: 'printed when the application starts' })}<button>
                  Enter
                </button>`,
              'Token',
            ),
          };
        }
        const brands = await catalogue.brands();
        const same = (names: readonly string[]) => names.map((name) => [name, name] as const);
        return {
          title: "Editors' desk",
          teaches:
            'The stream of changes turns a new deal into messages for those who watch its brand or category, and fills the copies of the front page.',
          main: html`<div class="columns">
            <section aria-label="Deals">
              ${form(
                '/editors/deals',
                html`<h2>Add a deal</h2>
                  ${field('title', 'Title', { refused })}${field('price', 'Price', { refused, type: 'number', value: '10' })}${field('brand', 'Brand', { refused, choices: same(brands) })}${field('category', 'Category', { refused, choices: same(CATEGORIES) })}${field('link', 'Address of the shop', { refused, value: 'https://shop.example/' })}<button>
                    Add deal
                  </button>`,
                'Add a deal',
              )}
              ${form(
                '/editors/featured',
                html`<h2>Feature deals</h2>
                  ${field('where', 'Where', { refused, choices: same(PLACES) })}${field('dealIds', 'Ids of the deals', { refused, rows: 6, hint: 'one a line: 5 to 10, and as a choice up to 100' })}<button
                    class="second"
                  >
                    Feature
                  </button>`,
                'Feature deals',
              )}
            </section>
            <section aria-label="Others">
              ${form(
                '/editors/brands',
                html`<h2>Add a brand</h2>
                  ${field('newBrand', 'Name of the brand', { refused })}<button class="second">Add brand</button>`,
                'Add a brand',
              )}
              ${form(
                '/editors/categories',
                html`<h2>Add a category</h2>
                  ${field('newCategory', 'Name of the category', { refused })}<button class="second">
                    Add category
                  </button>`,
                'Add a category',
              )}
              ${form(
                '/editors/blasts',
                html`<h2>Tell everybody</h2>
                  ${field('subject', 'Subject', { refused })}${field('body', 'Text', { refused, rows: 3 })}<button
                    class="second"
                  >
                    Send to all users
                  </button>`,
                'Tell everybody',
              )}
            </section>
          </div>`,
        };
      },
    }),
  ];
}

/** What the forms of the desk do. */
export function editorActions({ site: { editors, catalogue }, once, signIn }: EditorPagesOptions): readonly Action[] {
  const task = <Form extends z.ZodObject>(
    path: string,
    shape: Form,
    act: (given: z.output<Form>, key: string) => Promise<Went>,
  ): Action =>
    action({
      path,
      of: '/editors',
      signedIn: true,
      form: shape,
      act: async ({ form: given, person, key }) => {
        if (person !== THE_EDITORS) throw new HttpError(403, 'not-yours', 'This is for editors.');
        return await act(given, key);
      },
    });
  return [
    action({
      path: '/editors',
      of: '/editors',
      form: z.object({ token: z.string().min(1).max(200) }),
      act: async ({ form: { token }, key }) => {
        try {
          return await signIn.enter(`editor:${token}`, key, '/editors');
        } catch (error) {
          if (!(error instanceof HttpError) || error.status !== 401) throw error;
          throw new HttpError(401, 'no-token', 'This is not the token of editors.');
        }
      },
    }),
    task('/editors/deals', dealForm, async (given, key) => {
      const { dealId } = await once.addDeal(given, key);
      return { to: `/deals/${dealId}` };
    }),
    task('/editors/brands', z.object({ newBrand: newBrand.shape.brand }), async ({ newBrand: brand }, key) => {
      await once.createBrand({ brand }, key);
      return { to: `/brands/${encodeURIComponent(brand)}` };
    }),
    task(
      '/editors/categories',
      z.object({ newCategory: newCategory.shape.category }),
      async ({ newCategory: category }, key) => {
        await once.createCategory(category, key);
        return { to: `/categories/${encodeURIComponent(category)}` };
      },
    ),
    task('/editors/featured', featureForm, async ({ where, dealIds }) => {
      const ids = dealIds.split(/\s+/).filter((id) => id !== '');
      const shape = where === CHOICE ? editorsChoiceList : featuredList;
      if (ids.length > FEATURED_IDS_MAX) throw wrongNumber();
      const deals = await Promise.all(ids.map(async (id) => featuredCopy(await catalogue.deal(id))));
      const { data } = shape.safeParse(deals);
      if (data === undefined) throw wrongNumber();
      if (where === CHOICE) await editors.chooseAsEditors(data);
      else if (where === FRONT_PAGE) await editors.featureOnFrontPage(data);
      else await editors.featureInCategory(where, data);
      return {
        to:
          where === CHOICE
            ? '/editors-choice'
            : where === FRONT_PAGE
              ? '/'
              : `/categories/${encodeURIComponent(where)}`,
      };
    }),
    task('/editors/blasts', hotDeal.pick({ subject: true, body: true }), async (given, key) => {
      await once.tellEverybody(given, key);
      return { to: '/editors' };
    }),
  ];
}

function wrongNumber(): HttpError {
  const detail = 'has too few ids, or too many';
  return new HttpError(422, 'invalid', `The list ${detail}.`, {}, [{ field: 'dealIds', detail }]);
}
