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
  const put = async (path: string): Promise<Response> => fetch(`${url}/api${path}`, { method: 'PUT' });
  const brand = (): string => encodeURIComponent(anyOf(page.deals)?.brand ?? '');
  const category = (): string => encodeURIComponent(anyOf(CATEGORIES) ?? '');
  const hunter = (): string => `hunter${random.integer(1, 100)}`;
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
    { name: 'unread messages', weight: 5, act: async () => get(`/api/users/${hunter()}/messages?unread=true`) },
    { name: 'like', weight: 2, allows: [409], act: async () => put(`/brands/${brand()}/likes/${hunter()}`) },
    { name: 'watch', weight: 1, allows: [409], act: async () => put(`/categories/${category()}/watchers/${hunter()}`) },
  ];
}
