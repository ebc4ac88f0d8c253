import { describe, expect, test } from 'vitest';
import { useWorkbench } from '../testing/workbench.ts';
import { seed } from './seed.ts';
import { oneDatabase, openSite, stored } from './testing.ts';

describe('Big Time Deals, sample data', () => {
  const bench = useWorkbench(oneDatabase!);

  const filled = async (options: { readonly seed?: number } = {}) => {
    const opened = await openSite(bench(), { now: '2026-03-10T18:00:00Z' });
    const { site, clock, table } = opened;
    const { client } = bench();
    const counts = await seed(site, { client, tableName: table.name, clock, scale: 0.02, ...options });
    return { ...opened, counts };
  };

  test('BTD-03: brands, deals, users; the same in every run', async () => {
    const { counts, table } = await filled();
    expect(counts).toMatchObject({ brands: 10, deals: 200, users: 20 });
    const items = await table.scan();
    expect(items.filter(({ Type }) => Type === 'Deal')).toHaveLength(200);
    expect(items.filter(({ Type }) => /Like|Watch/.test(String(Type)))).toHaveLength(counts.likesAndWatches);
    const other = await filled();
    expect(other.counts).toEqual(counts);
    const key = (item: Record<string, unknown>): string => `${String(item['PK'])} ${String(item['SK'])}`;
    const again = await other.table.scan();
    const sorted = (all: typeof items): typeof items => all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    expect(sorted(again)).toEqual(sorted(items));
  });

  test('counts are those of the likes and watches there are; lists are full', async () => {
    const opened = await filled({ seed: 5 });
    const likes = await stored(opened, 'BrandLike');
    const watches = await stored(opened, 'CategoryWatch');
    expect(likes.length * watches.length).toBeGreaterThan(0);
    for (const { BrandName, LikeCount } of await stored(opened, 'Brand')) {
      expect(likes.filter(({ Brand }) => Brand === BrandName)).toHaveLength(Number(LikeCount));
    }
    for (const { CategoryName, WatchCount } of await stored(opened, 'Category')) {
      expect(watches.filter(({ Category }) => Category === CategoryName)).toHaveLength(Number(WatchCount));
    }
    const page = await opened.site.catalogue.frontPage();
    expect([page.featured.length, page.deals.length]).toEqual([8, 25]);
    expect(page.deals.every(({ createdAt }) => createdAt.startsWith('2026-03-10'))).toBe(true);
  });
});
