import type { SeededRandom } from '../../demo/seeded-random.ts';
import type { LoadAction } from '../../http/load.ts';
import { CATEGORIES } from '../categories.ts';

interface FrontPage {
  readonly deals: readonly { readonly dealId: string; readonly brand: string }[];
  readonly next?: string;
}

/** What hunters do, and how often: mostly they read. */
export async function hunterActions(url: string, random: SeededRandom): Promise<readonly LoadAction[]> {
  const anyOf = <Each>(all: readonly Each[]): Each | undefined => all[random.integer(0, all.length - 1)];
  const get = async (path: string): Promise<Response> => fetch(`${url}${path}`);
  const tokens = new Map<string, Promise<string>>();
  /** As one of the users of the sample data. */
  const as = async (method: string, pathOf: (username: string) => string): Promise<Response> => {
    const username = hunter();
    const token = tokens.get(username) ?? tokenOf(url, username);
    tokens.set(username, token);
    const headers = { authorization: `Bearer ${await token}` };
    return await fetch(`${url}/api${pathOf(username)}`, { method, headers });
  };
  const brand = (): string => encodeURIComponent(anyOf(page.deals)?.brand ?? '');
  const category = (): string => encodeURIComponent(anyOf(CATEGORIES) ?? '');
  const hunter = (): string => `hunter${random.integer(1, 10)}`;
  let page = (await (await get('/api/front-page')).json()) as FrontPage;
  return [
    {
      name: 'front page',
      weight: 40,
      act: async () => {
        const response = await get('/api/front-page');
        page = (await response.clone().json()) as FrontPage;
        return response;
      },
    },
    { name: 'older deals', weight: 10, act: async () => get(page.next ?? '/api/front-page') },
    { name: 'deal', weight: 15, act: async () => get(`/api/deals/${anyOf(page.deals)?.dealId ?? ''}`) },
    { name: 'category', weight: 12, act: async () => get(`/api/categories/${category()}`) },
    { name: 'brand', weight: 12, act: async () => get(`/api/brands/${brand()}`) },
    { name: 'all brands', weight: 3, act: async () => get('/api/brands') },
    { name: 'unread messages', weight: 5, act: async () => as('GET', (name) => `/users/${name}/messages?unread=true`) },
    {
      name: 'like',
      weight: 2,
      allows: [409],
      act: async () => as('PUT', (name) => `/brands/${brand()}/likes/${name}`),
    },
    {
      name: 'watch',
      weight: 1,
      allows: [409],
      act: async () => as('PUT', (name) => `/categories/${category()}/watchers/${name}`),
    },
  ];
}

async function tokenOf(url: string, username: string): Promise<string> {
  const response = await fetch(`${url}/api/sessions`, { method: 'POST', body: JSON.stringify({ username }) });
  return ((await response.json()) as { readonly token: string }).token;
}
