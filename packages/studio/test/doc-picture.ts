import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Comparison, comparePictures, isAlike, varyingPlaces } from './compared-pictures.ts';

/*
 * The pictures of the documentation. Beside each is the text that was on the page when it was taken: where a view shows another text now, or looks
 * otherwise, its picture is stale, and `UPDATE_GOLDEN=1` takes both again. Looks are compared in the browser that took the pictures only
 * (`browser.txt`): another one draws other letters.
 */

const folder = fileURLToPath(new URL('../../../docs/pictures', import.meta.url));
const isUpdating = process.env['UPDATE_GOLDEN'] === '1';

/**
 * @param options.doNumbersVary - whether another run shows other figures, so that only words are compared.
 * @param options.varying - a selector of parts whose look another run shows otherwise.
 */
export async function expectPicture(
  page: Page,
  name: string,
  { doNumbersVary = false, varying = '' }: { readonly doNumbersVary?: boolean; readonly varying?: string } = {},
): Promise<void> {
  const text = async (): Promise<string> => {
    const whole = await textOf(page);
    return doNumbersVary ? whole.replaceAll(/\d[\d.,:]*/g, 'N') : whole;
  };
  const take = async (): Promise<Buffer> => await page.screenshot({ animations: 'disabled', caret: 'hide' });
  const browser = page.context().browser()?.version() ?? '';
  if (isUpdating) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.png`), await take());
    writeFileSync(join(folder, `${name}.txt`), await text());
    writeFileSync(join(folder, 'browser.txt'), `${browser}\n`);
  }
  expect(existsSync(join(folder, `${name}.png`))).toBe(true);
  const shown = readFileSync(join(folder, `${name}.txt`), 'utf8');
  // What is still on its way when the rest is there is waited for.
  await expect.poll(text, { message: 'UPDATE_GOLDEN=1 takes the picture again' }).toBe(shown);
  if (readFileSync(join(folder, 'browser.txt'), 'utf8').trim() !== browser) return;
  const picture = readFileSync(join(folder, `${name}.png`));
  let last: Comparison | undefined;
  const isAsItWas = async (): Promise<boolean> => {
    last = await comparePictures(page, picture, await take(), await varyingPlaces(page, { doNumbersVary, varying }));
    return isAlike(last);
  };
  // A transition may be under way. What differs then still differs after it.
  for (let tries = 0; tries < 20 && !(await isAsItWas()); tries += 1) await page.waitForTimeout(100);
  if (process.env['PAGE_PICTURES'] !== undefined) process.stdout.write(`${name} ${JSON.stringify(last)}\n`);
  const advice = `${name}.png does not show what the view looks like: UPDATE_GOLDEN=1 takes it again. ${JSON.stringify(last)}`;
  expect(last && isAlike(last), advice).toBe(true);
}

/**
 * The text of a view, without what another run shows otherwise: times, rates of the moment, the order in which requests ended, and what can be
 * chosen instead, which in the requests view is what has been logged until then.
 */
async function textOf(page: Page): Promise<string> {
  const text = await page.evaluate(() => {
    const main = document.querySelector('main');
    const omitted = 'option:not(:checked), .pace';
    const choices = Array.from(main?.querySelectorAll(omitted) ?? [], ({ textContent }) => textContent);
    // In the same moment: the strip may change between two questions.
    const strip = main?.querySelector<HTMLElement>('.strip')?.innerText.split('\n') ?? [];
    const lines = main?.innerText.replace(/\n*Requests of this view/, '').split('\n') ?? [];
    return lines.filter((line) => !choices.includes(line.trim()) && !strip.includes(line)).join('\n');
  });
  const lines = text.split('\n');
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
