import axe from 'axe-core';
import { createDatabase, type Database, type DatabaseOptions, type DatabaseServer, serve } from 'singlet';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { plantedSecret, SecretWatch } from './planted-secret.ts';
import { openPage, type PageOptions, type WatchedPage } from '../../../systems/testing/browser.ts';

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

/** Looks for barriers, of any impact. */
export async function expectAccessible(page: Page): Promise<void> {
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

/** Nothing is cut off or scrolls sideways but what says that it does. */
export async function expectToFit(page: Page): Promise<void> {
  const wide = await page.evaluate(() => {
    if (document.documentElement.scrollWidth <= window.innerWidth) return [];
    const elements = [...document.querySelectorAll('body *')];
    return elements
      .filter((each) => each.getBoundingClientRect().right > window.innerWidth)
      .map((each) => each.outerHTML.slice(0, 100));
  });
  expect(wide).toEqual([]);
}
