import { describe, expect, test } from 'vitest';
import { useWorkbench } from '../testing/workbench.ts';
import { seed } from './seed.ts';
import { oneDatabase, openSite, stored } from './testing.ts';

describe('Big Time Deals, sample data', () => {
  const bench = useWorkbench(oneDatabase!);

  test('BTD-03: brands, deals, users; the second time nothing changes', async () => {
    const opened = await openSite(bench(), { now: '2026-03-10T18:00:00Z' });
    const { site, clock, table } = opened;
    const counts = await seed(site, { clock, scale: 0.02 });
    expect(counts).toMatchObject({ brands: 10, deals: 200, users: 20 });
    const items = await table.scan();
    expect(items.filter(({ Type }) => Type === 'Deal')).toHaveLength(200);
    expect(items.filter(({ Type }) => /Like|Watch/.test(String(Type)))).toHaveLength(counts.likesAndWatches);
    expect(await seed(site, { clock, scale: 0.02 })).toEqual(counts);
    const key = (item: Record<string, unknown>): string => `${String(item['PK'])} ${String(item['SK'])}`;
    const again = await table.scan();
    const sorted = (all: typeof items): typeof items => all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    expect(sorted(again)).toEqual(sorted(items));
  });

  test('counts are those of the likes and watches there are; lists are full', async () => {
    const opened = await openSite(bench(), { now: '2026-03-10T18:00:00Z' });
    await seed(opened.site, { clock: opened.clock, scale: 0.02, seed: 5 });
    const likes = await stored(opened, 'BrandLike');
    for (const { BrandName, LikeCount } of await stored(opened, 'Brand')) {
      expect(likes.filter(({ Brand }) => Brand === BrandName)).toHaveLength(Number(LikeCount));
    }
    const page = await opened.site.catalogue.frontPage();
    expect([page.featured.length, page.deals.length]).toEqual([8, 25]);
    expect(page.deals.every(({ createdAt }) => createdAt.startsWith('2026-03-10'))).toBe(true);
  });
});
