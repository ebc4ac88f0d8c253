import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openPage, type PageOptions, type WatchedPage } from './browser.ts';
import { isDrawn } from './drawn.ts';

const WIDTHS = [360, 768, 1280] as const;

/** Runs a visitor's story on a page, which must end without any console output. */
export async function visit(
  browser: Browser,
  url: string,
  story: (page: Page, watched: WatchedPage) => Promise<void>,
  { scripts = true }: Pick<PageOptions, 'scripts'> = {},
): Promise<void> {
  const watched = await openPage(browser, url, { width: 1280, scripts });
  try {
    await story(watched.page, watched);
    expect(watched.problems).toEqual([]);
  } finally {
    await watched.close();
  }
}

/** What is out of shape: an application's name on two lines though it is short, a face that is not as wide as high, fields of one form that differ in height. */
const MISSHAPEN = `[
  ...[...document.querySelectorAll('.name span')].filter((name) => name.textContent.length <= 16 && name.offsetHeight > 1.5 * parseFloat(getComputedStyle(name).lineHeight)),
  ...[...document.querySelectorAll('img[src^="/picture/face/"]')].filter(({ offsetWidth, offsetHeight }) => offsetWidth !== offsetHeight),
  ...[...document.querySelectorAll('form')].filter((form) => new Set([...form.querySelectorAll('input:not([type=hidden]), select')].map(({ offsetHeight }) => offsetHeight).filter((height) => height > 0)).size > 1),
].map(({ outerHTML }) => outerHTML)`;

/** The rules that look at colours. In the dark, the rest of the screen is what it was in the light. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Checks a screen as it is: nothing is wider than a phone, a tablet or a desktop, or out of shape, and axe finds nothing, dark and light. A story
 * without scripts sees the same screens. axe takes most of the time of a story: it looks at the screens that the run has drawn.
 */
export async function expectSound({ page, scripts, picture }: WatchedPage, name: string): Promise<void> {
  if (!scripts) return;
  await page.waitForLoadState('load'); // the text may appear before the style sheet
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect([name, width, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, width, width]);
      expect([name, width, await page.evaluate(MISSHAPEN)]).toEqual([name, width, []]);
      await picture(`${name}-${colorScheme}-${width}`);
    }
    if (!isDrawn(name)) continue;
    if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
    const found = await page.evaluate(
      async (rules) => {
        const { axe: checker } = globalThis as unknown as { axe: typeof axe }; // defined by the line above
        // Only violations are described, which takes most of the time.
        const { violations } = await checker.run({
          resultTypes: ['violations'],
          ...(rules !== undefined && { runOnly: rules }),
        });
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
      },
      colorScheme === 'dark' ? COLOUR_RULES : undefined,
    );
    expect([name, colorScheme, found]).toEqual([name, colorScheme, []]);
  }
}
