import axe from 'axe-core';
import { createDatabase, type Database, type DatabaseOptions, type DatabaseServer, serve } from 'singlet';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { plantedSecret, SecretWatch } from './planted-secret.ts';
import { openPage, type PageOptions, type WatchedPage } from '../../../systems/testing/browser.ts';
import { isDrawn } from '../../../systems/testing/drawn.ts';

/** A database in memory with its server, as `singlet serve` runs it, and visitors with a real browser. */
export interface StudioWorld {
  readonly database: Database;
  readonly server: DatabaseServer;
  /** Opens the workbench at a path below `/studio`, plays the story, and wants nothing to have gone wrong meanwhile. */
  visit(path: string, story: (page: Page, watched: WatchedPage) => Promise<void>, options?: PageOptions): Promise<void>;
  close(): Promise<void>;
}

/** Where the AWS SDK finds it. */
process.env['AWS_SECRET_ACCESS_KEY'] = plantedSecret;

/** @param options - of the database, such as models. */
export async function openStudio(browser: () => Browser, options: DatabaseOptions = {}): Promise<StudioWorld> {
  const database = await createDatabase(options);
  const server = await serve(database);
  return {
    database,
    server,
    visit: (path, story, options = {}) => visiting(browser(), `${server.url}/studio${path}`, story, options),
    close: async () => {
      await server.close();
      await database.close();
    },
  };
}

/** Opens a world for the tests of a file, and closes it after them. */
export function useStudio(open: () => Promise<StudioWorld>): StudioWorld {
  let opened: StudioWorld | undefined;
  beforeAll(async () => void (opened = await open()));
  afterAll(async () => await opened?.close());
  const world = (): StudioWorld => {
    if (opened === undefined) throw new ReferenceError('The world is there once the tests run');
    return opened;
  };
  return {
    get database() {
      return world().database;
    },
    get server() {
      return world().server;
    },
    visit: (path, story, options) => world().visit(path, story, options),
    close: () => world().close(),
  };
}

/** An operation of the API, in process. */
export async function ask<Output>(database: Database, operation: string, input: object): Promise<Output> {
  return (await database.request(operation, input)) as Output; // the documented shape of the operation
}

export async function visiting(
  browser: Browser,
  url: string,
  story: (page: Page, watched: WatchedPage) => Promise<void>,
  options: PageOptions = {},
): Promise<void> {
  const watched = await openPage(browser, url, options);
  const secrets = new SecretWatch(watched.page);
  try {
    await story(watched.page, watched);
    expect(await secrets.found()).toEqual([]); // WB-59
    expect(watched.problems).toEqual([]);
  } finally {
    await watched.close();
  }
}

/** Looks for barriers, of any impact, on the screens that the run has drawn: many tests show the same ones. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!isDrawn(`${expect.getState().currentTestName} ${new URL(page.url()).pathname}`)) return;
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: found } = window as unknown as { axe: typeof axe }; // what the line above defined
    const results = await found.run({ resultTypes: ['violations'] });
    return results.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
    );
  });
  expect(violations).toEqual([]);
}

/**
 * Nothing is cut off, covered by something else, or scrolls sideways, but what says that it does: an ellipsis, a region that scrolls and can have the
 * focus, a layer above the page.
 */
export async function expectToFit(page: Page): Promise<void> {
  expect(await misfits(page)).toEqual([]);
}

/** What does not fit. */
export async function misfits(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const found: string[] = [];
    const nameOf = (element: Element): string => element.outerHTML.replaceAll(/\s+/g, ' ').slice(0, 100);
    const elements = [...document.querySelectorAll<HTMLElement>('body *')].filter(
      (element) => element.checkVisibility({ visibilityProperty: true }) && element.closest('.hidden') === null,
    );
    if (document.documentElement.scrollWidth > window.innerWidth) {
      const wide = elements.filter((element) => element.getBoundingClientRect().right > window.innerWidth);
      found.push(...wide.map((element) => `beyond the window: ${nameOf(element)}`));
    }
    for (const element of elements) {
      const { overflowX, textOverflow } = getComputedStyle(element);
      const isWider = element.scrollWidth > element.clientWidth + 1;
      if (overflowX === 'hidden' && isWider && textOverflow !== 'ellipsis' && !element.matches('.awaited-rows'))
        found.push(`cut off: ${nameOf(element)}`);
    }
    // What can be used is not below something else, at its middle, unless it is scrolled away.
    const isWithin = ({ left, right, top, bottom }: DOMRect, element: Element): boolean => {
      for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
        const box = parent.getBoundingClientRect();
        const { overflowX, overflowY } = getComputedStyle(parent);
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        if (overflowX !== 'visible' && (x < box.left || x > box.right)) return false;
        if (overflowY !== 'visible' && (y < box.top || y > box.bottom)) return false;
      }
      return true;
    };
    const usable = elements.filter((element) =>
      element.matches('button, a[href], input, select, textarea, [role=slider]'),
    );
    for (const element of usable) {
      const box = element.getBoundingClientRect();
      if (box.width === 0 || !isWithin(box, element)) continue;
      const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
      if (top === null || element.contains(top) || top.contains(element)) continue;
      const layer = top.closest(
        'dialog, .item-panel, .runner, .code-panel, .notice, .fresh, .selection-bar, .request-panel, label',
      );
      if (layer !== null && !layer.contains(element)) continue;
      const { labels } = element as HTMLInputElement; // absent for links
      if (labels && [...labels].some((label) => label.contains(top))) continue;
      found.push(`covered: ${nameOf(element)} by ${nameOf(top)}`);
    }
    return found;
  });
}
