import type { ApplicationLoad, LoadSite, OpenLoad, StoredItem } from '../../http/load.ts';
import { grouped } from '../../http/stored-items.ts';
import { CATEGORIES } from '../categories.ts';

interface FrontPage {
  readonly deals: readonly { readonly dealId: string; readonly brand: string }[];
  readonly next?: string;
}

const HUNTERS = 10;

/** Hunters mostly read. */
export const load: ApplicationLoad = {
  holds: 'the counts of likes and watchers of every brand and category are those of the stored ones',
  open: async (site) => ({ actions: actionsOf(site, await site.read<FrontPage>('/front-page')), faultsIn }),
};

function actionsOf(site: LoadSite, first: FrontPage): OpenLoad['actions'] {
  let page = first;
  const get = async (path: string): Promise<Response> => await site.ask('GET', path);
  const brand = (): string => encodeURIComponent(site.oneOf(page.deals).brand);
  const category = (): string => encodeURIComponent(site.oneOf(CATEGORIES));
  /** As one of the users of the sample data. */
  const as = async (method: string, pathOf: (username: string) => string): Promise<Response> => {
    const username = `hunter${site.random.integer(1, HUNTERS)}`;
    return await site.ask(method, pathOf(username), { as: username });
  };
  return [
    {
      name: 'front page',
      weight: 40,
      act: async () => {
        const response = await get('/front-page');
        page = (await response.clone().json()) as FrontPage;
        return response;
      },
    },
    { name: 'older deals', weight: 10, act: async () => await site.send(page.next ?? '/api/front-page') },
    { name: 'deal', weight: 15, act: async () => await get(`/deals/${site.oneOf(page.deals).dealId}`) },
    { name: 'category', weight: 12, act: async () => await get(`/categories/${category()}`) },
    { name: 'brand', weight: 12, act: async () => await get(`/brands/${brand()}`) },
    { name: 'all brands', weight: 3, act: async () => await get('/brands') },
    {
      name: 'unread messages',
      weight: 5,
      act: async () => await as('GET', (name) => `/users/${name}/messages?unread=true`),
    },
    {
      name: 'like',
      weight: 2,
      act: async () => await as('PUT', (name) => `/brands/${brand()}/likes/${name}`),
    },
    {
      name: 'watch',
      weight: 1,
      act: async () => await as('PUT', (name) => `/categories/${category()}/watchers/${name}`),
    },
  ];
}

function faultsIn(items: readonly StoredItem[]): readonly string[] {
  return ['Brand', 'Category'].flatMap((kind) => {
    const of = (type: string): readonly StoredItem[] => items.filter(({ Type }) => Type === `${kind}${type}`);
    const nameOf = (item: StoredItem): string => String(item[kind]);
    const [likes, watches] = [grouped(of('Like'), nameOf), grouped(of('Watch'), nameOf)];
    return of('').flatMap((item) => {
      const name = String(item[`${kind}Name`]);
      const stored = [likes.get(name)?.length ?? 0, watches.get(name)?.length ?? 0].join(' and ');
      const counted = [item['LikeCount'], item['WatchCount']].join(' and ');
      return stored === counted ? [] : [`${name} counts ${counted} likes and watchers; ${stored} are stored`];
    });
  });
}
