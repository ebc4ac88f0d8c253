import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/*
 * The pictures of the documentation. Beside each is the text that was on the page when it was taken: where a view shows another text now, its
 * picture is stale, and `UPDATE_GOLDEN=1` takes both again.
 */

const folder = fileURLToPath(new URL('../../../docs/pictures', import.meta.url));
const isUpdating = process.env['UPDATE_GOLDEN'] === '1';

/** @param options.doNumbersVary - whether another run shows other figures, so that only words are compared. */
export async function expectPicture(
  page: Page,
  name: string,
  { doNumbersVary = false }: { readonly doNumbersVary?: boolean } = {},
): Promise<void> {
  const text = async (): Promise<string> => {
    const whole = await textOf(page);
    return doNumbersVary ? whole.replaceAll(/\d[\d.,:]*/g, 'N') : whole;
  };
  if (isUpdating) {
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled', caret: 'hide' });
    writeFileSync(join(folder, `${name}.txt`), await text());
  }
  expect(existsSync(join(folder, `${name}.png`))).toBe(true);
  const shown = readFileSync(join(folder, `${name}.txt`), 'utf8');
  // What is still on its way when the rest is there is waited for.
  await expect.poll(text, { message: 'UPDATE_GOLDEN=1 takes the picture again' }).toBe(shown);
}

/**
 * The text of a view, without what another run shows otherwise: times, the order in which requests ended, and what can be chosen instead, which
 * in the requests view is what has been logged until then.
 */
async function textOf(page: Page): Promise<string> {
  const text = await page.evaluate(() => {
    const main = document.querySelector('main');
    const choices = Array.from(main?.querySelectorAll('option:not(:checked)') ?? [], ({ textContent }) => textContent);
    const lines = main?.innerText.replace(/\n*Requests of this view/, '').split('\n') ?? [];
    return lines.filter((line) => !choices.includes(line.trim())).join('\n');
  });
  const strip = (await page.locator('.strip').innerText()).split('\n');
  const lines = text.split('\n').filter((line) => !strip.includes(line));
  return `${lines
    .map((line) =>
      line
        .trim()
        .replaceAll(/\S*\/singlet-[a-z-]+-\w{6}\//g, '') // a directory for temporary files
        .replaceAll(/\d\d:\d\d(:\d\d)?/g, 'TIME')
        .replaceAll(/(! )?[\d.]+ m?s\b/g, 'TIME'),
    )
    .filter((line) => line !== '')
    .join('\n')}\n`;
}
