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
        expect(await otherFonts(page)).toEqual([]);
        await picture(`width-${path.replaceAll(/\W+/g, '-').slice(0, 40)}-${width}`);
      }
    });
  },
);

/** Code that is not set in the font of code. */
async function otherFonts(page: Page): Promise<readonly string[]> {
  return await page
    .locator('pre, code, kbd, textarea, .mono')
    .evaluateAll((all) =>
      all
        .filter((each) => !getComputedStyle(each).fontFamily.startsWith('"Geist Mono"'))
        .map((each) => each.outerHTML.slice(0, 80)),
    );
}

test('the requests of the strip are set in the font of code', async () => {
  await world.visit(alex, async (page) => {
    await first('.row.item')(page);
    for (const form of ['Request', 'SDK', 'CLI', 'PartiQL']) {
      await page.getByRole('button', { name: form, exact: true }).click();
      await page.getByRole('region', { name: 'Request as code' }).locator('pre').waitFor();
      expect(await otherFonts(page), form).toEqual([]);
    }
  });
});

test.each<readonly [path: string, near: string, far: string]>([
  ['/tables', '.tables tbody tr:first-child td:nth-child(1)', '.tables tbody tr:first-child td.wide.mono'],
  ['/requests', '.feed-rows tbody tr:first-child td:nth-child(1)', '.feed-rows tbody tr:first-child td:nth-child(3)'],
  ['/m?section=cost', '.cost tbody tr:first-child td:nth-child(1)', '.cost tbody tr:first-child td:last-child'],
  ['/m?section=patterns', '.pattern-list li:first-child b', '.pattern-list li:first-child .cost'],
  ['/m?section=keys', '.key-chart tbody tr:first-child th', '.key-chart tbody tr:first-child td:last-child'],
  ['/tour/S-29', '.tour-head h2 .mono', '.tour-head button:last-child'],
])('WB-08: %s: at 2560 px what belongs together is not far apart', async (path, near, far) => {
  await world.visit(
    path,
    async (page) => {
      if (path === '/requests') {
        await page.getByText('live', { exact: true }).waitFor();
        const headers = {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': 'DynamoDB_20120810.ListTables',
        };
        await fetch(world.server.url, { method: 'POST', headers, body: '{}' });
      }
      const places = await Promise.all([near, far].map((part) => page.locator(part).first().boundingBox()));
      const [one, other] = places;
      expect((other?.x ?? Number.NaN) - (one?.x ?? Number.NaN)).toBeLessThan(1420);
    },
    { width: 2560 },
  );
});

test('WB-08: at 2560 px the patterns of a model are beside its entities, and the history beside a statement', async () => {
  const besides = async (page: Page, left: string, right: string): Promise<void> => {
    const one = await page.getByRole('region', { name: left, exact: true }).boundingBox();
    const other = await page.getByRole('region', { name: right, exact: true }).boundingBox();
    if (one === null || other === null) throw new TypeError('They are not drawn');
    expect(other.x).toBeGreaterThanOrEqual(one.x + one.width);
    expect(other.y).toBeLessThan(one.y + one.height);
  };
  await world.visit(
    '/m',
    async (page) => {
      await first('.pattern-list a')(page);
      await besides(page, 'Entities', 'Access patterns');
      // What is left of the patterns is one below the other.
      const [keys, findings] = await Promise.all(
        [/^Entity chart/, 'Findings'].map((name) => page.getByRole('region', { name }).first().boundingBox()),
      );
      expect((findings?.y ?? 0) - ((keys?.y ?? 0) + (keys?.height ?? 0))).toBeLessThan(60);
      await page.goto(`${world.server.url}/studio/sql`);
      await page.getByText('Statements that you run are listed here').waitFor();
      const editor = await page.locator('.statement-editor').boundingBox();
      const history = await page.getByRole('region', { name: 'History' }).boundingBox();
      expect(history?.x).toBeGreaterThanOrEqual((editor?.x ?? 0) + (editor?.width ?? 0));
    },
    { width: 2560 },
  );
});

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
