import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { useBookShop } from './book-shop.ts';
import { expectToFit, misfits } from './studio-world.ts';

const world = useBookShop(12, useBrowser());
const table = 'EcommerceTable';
const alex = `/t/${table}?pk=S%3ACUSTOMER%23alex`;
const item = encodeURIComponent(JSON.stringify([{ S: 'CUSTOMER#alex' }, { S: 'CUSTOMER#alex' }]));
const first = (selector: string) => (page: Page) => page.locator(selector).first().waitFor();

const views: readonly (readonly [path: string, ready: (page: Page) => Promise<void>])[] = [
  ['/tables', first('.tables tbody tr')],
  [`/t/${table}`, first('.row.item')],
  [`${alex}&item=${item}`, first('.attribute')],
  [`${alex}&item=${item}&tab=json`, first('#item-body textarea')],
  [`${alex}&item=${item}&tab=history`, first('.version')],
  [`${alex}&item=new`, first('.attribute')],
  [`/table/${table}`, first('.planned')],
  [`/q/${table}?pk=S%3ACUSTOMER%23alex&run=1`, first('.item-table tbody tr')],
  [
    `/sql?run=1&s=${encodeURIComponent(`SELECT * FROM ${table} WHERE PK = 'CUSTOMER#alex'`)}`,
    first('.item-table tbody tr'),
  ],
  ['/m', first('.pattern-list a')],
  ['/m?section=keys', first('.sample')],
  ['/m?section=cost', first('.chart')],
  ['/m?section=patterns&p=finishOrder', first('.runner .input-field')],
  [`/heat/${table}`, first('.heat-map')],
  [`/streams/${table}?from=start`, first('.record')],
  ['/requests', first('.feed-rows')],
  ['/migrations', first('.migrations')],
  ['/tour/S-29', first('.tour-head')],
  ['/settings', first('.settings dl')],
];

test.each(views)(
  'WB-08: %s: nothing is cut off or covered, or scrolls sideways, at 360, 768, 1280 and 2560 px',
  async (path, ready) => {
    await world.visit(path, async (page, { picture }) => {
      for (const width of [360, 768, 1280, 2560]) {
        await page.setViewportSize({ width, height: 800 });
        await ready(page);
        await expectToFit(page);
        await picture(`width-${path.replaceAll(/\W+/g, '-').slice(0, 40)}-${width}`);
      }
    });
  },
);

test('WB-08: what is cut off, covered or too wide is found where there is such a thing', async () => {
  await world.visit('/settings', async (page) => {
    await page.locator('.settings dl').first().waitFor();
    const faults: Readonly<Record<string, () => void>> = {
      'cut off': () => {
        const box = document.querySelector<HTMLElement>('main')?.appendChild(document.createElement('p'));
        Object.assign(box?.style ?? {}, { width: '40px', overflow: 'hidden', whiteSpace: 'nowrap' });
        box?.append('far longer than forty pixels');
      },
      covered: () => {
        const box = document.body.appendChild(document.createElement('p'));
        Object.assign(box.style, { position: 'fixed', inset: '0 0 auto 0', height: '60px' });
      },
      'beyond the window': () => {
        const box = document.body.appendChild(document.createElement('p'));
        Object.assign(box.style, { width: '200vw' });
        box.append('wide');
      },
    };
    await expectToFit(page);
    for (const [fault, plant] of Object.entries(faults)) {
      await page.evaluate(plant);
      expect((await misfits(page)).join()).toContain(fault);
    }
  });
});
