import type { ApplicationLoad, LoadSite, OpenLoad, StoredItem } from '../../http/load.ts';
import { lackedBy } from '../../http/stored-items.ts';
import { pairOf } from '../dating.ts';

const PEOPLE_MAX = 200;
const USERS_AT_SCALE_ONE = 100_000;

/** People look at their deck and matches, like one another in both directions, and take likes back. */
export const load: ApplicationLoad = {
  holds: 'every pair that likes one another has one match and one guard, and no other pair has either',
  open: async (site) => {
    const count = Math.min(PEOPLE_MAX, Math.floor(USERS_AT_SCALE_ONE * site.scale));
    const people = Array.from({ length: count }, (_, at) => `u${at + 1}`);
    return await Promise.resolve({ actions: actionsOf(site, people), faultsIn });
  },
};

function actionsOf(site: LoadSite, people: readonly string[]): OpenLoad['actions'] {
  const person = (): string => site.oneOf(people);
  /** Few people, so that many meet. */
  const met = (): string => site.oneOf(people.slice(0, 20));
  const get = async (path: string): Promise<Response> => await site.ask('GET', path, { as: person() });
  return [
    { name: 'deck', weight: 30, act: async () => await get('/deck') },
    { name: 'matches', weight: 20, act: async () => await get('/matches') },
    { name: 'likes received', weight: 10, act: async () => await get('/likes/received') },
    { name: 'likes given', weight: 5, act: async () => await get('/likes') },
    {
      name: 'like',
      weight: 25,
      allows: [409], // oneself
      act: async () => await site.ask('PUT', `/likes/${met()}`, { as: met() }),
    },
    {
      name: 'take a like back',
      weight: 4,
      allows: [404, 409],
      act: async () => await site.ask('DELETE', `/likes/${met()}`, { as: met() }),
    },
    {
      name: 'look at a match',
      weight: 6,
      allows: [404], // it ended meanwhile
      act: async () => {
        const as = met();
        const { items } = await site.read<{ readonly items: readonly { readonly matchId: string }[] }>('/matches', {
          as,
        });
        if (items.length === 0) return await site.ask('GET', '/matches', { as });
        return await site.ask('PUT', `/matches/${site.oneOf(items).matchId}/seen`, { as });
      },
    },
  ];
}

function faultsIn(items: readonly StoredItem[]): readonly string[] {
  const of = (type: string): readonly StoredItem[] => items.filter(({ Type }) => Type === type);
  const named = (one: unknown, other: unknown): string => {
    const { low, high } = pairOf(String(one), String(other));
    return `${low} and ${high}`;
  };
  const likes = new Set(
    of('Like')
      .filter(({ deleted }) => deleted === false)
      .map(({ liker, liked }) => `${String(liker)} ${String(liked)}`),
  );
  const mutual = [...likes].flatMap((like) => {
    const [liker = '', liked = ''] = like.split(' ');
    return liker < liked && likes.has(`${liked} ${liker}`) ? [named(liker, liked)] : [];
  });
  const matched = of('Match').map(({ user1, user2 }) => named(String(user1).slice(5), String(user2).slice(5)));
  const guarded = of('PairGuard').map(({ low, high }) => named(low, high));
  return [
    ...lackedBy(matched, mutual).map((pair) => `${pair} like one another and have no match`),
    ...lackedBy(mutual, matched).map((pair) => `${pair} have a match and do not like one another`),
    ...lackedBy(guarded, matched).map((pair) => `${pair} have a match without a guard`),
    ...lackedBy(matched, guarded).map((pair) => `${pair} have a guard without a match`),
    ...matched.filter((pair, at) => matched.indexOf(pair) !== at).map((pair) => `${pair} have two matches`),
  ];
}
