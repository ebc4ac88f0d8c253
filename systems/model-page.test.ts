import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { useBrowser } from './testing/browser.ts';
import { documentation } from '@singlet/model/docs';
import { shop } from './e-commerce/model.ts';

const browser = useBrowser();

test('the page of a model shows what has the words that are searched for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'model-page-'));
  const file = join(folder, 'shop.html');
  writeFileSync(file, documentation(shop, 'html'));
  const page = await browser().newPage();
  try {
    await page.goto(pathToFileURL(file).href);
    const patterns = page.locator('#patterns tbody:visible');
    const all = await patterns.count();
    expect(all).toBeGreaterThan(10);
    await page.getByRole('searchbox').fill('order transact');
    const found = await patterns.allInnerTexts();
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(all);
    for (const text of found) expect(text.toLowerCase()).toMatch(/order[^]*transact|transact[^]*order/);
    await page.getByRole('searchbox').fill('nothing has this');
    expect(await page.locator('main tbody:visible').count()).toBe(0);
    await page.getByRole('searchbox').fill('');
    expect(await patterns.count()).toBe(all);
  } finally {
    await page.close();
    rmSync(folder, { recursive: true });
  }
});
