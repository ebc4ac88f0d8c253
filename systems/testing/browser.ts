import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { unpackedChromium } from './chromium.ts';

const ARGUMENTS = [
  // A machine that runs tests as root cannot provide a sandbox. The pages are our own.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** The machine may be busy with other tests. */
const WAITS_MS_MAX = 300_000;
const STARTS_IN_MS_MAX = 180_000;
/** If this is set to a directory, screenshots of pages are kept there. */
const PICTURES_VARIABLE = 'PAGE_PICTURES';

/** A page in a browser, as one visitor with an empty profile sees it. */
export interface WatchedPage {
  readonly page: Page;
  readonly scripts: boolean;
  /** Problems so far: errors on the console, exceptions, requests to others, pages with a status of 500 or above, parts with 400. */
  readonly problems: readonly string[];
  /**
   * Waits until something is shown that changes by itself. Without scripts no page does: the visitor asks for it again.
   */
  readonly appears: (part: Locator) => Promise<void>;
  /** Keeps a screenshot under a name, if screenshots were requested. */
  readonly picture: (name: string) => Promise<void>;
  close(): Promise<void>;
}

export interface PageOptions {
  readonly isDark?: boolean;
  readonly width?: number;
  /** Whether the browser runs scripts. */
  readonly scripts?: boolean;
}

/** One for all files that run in the same process. It ends with the process. */
let launched: Promise<Browser> | undefined;

/** Starts a browser for the tests of the file, unless an earlier file of the same process has started one. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    launched ??= launch();
    browser = await launched;
  }, STARTS_IN_MS_MAX);
  return () => {
    if (!browser) {
      throw new ReferenceError('The browser is there once the tests run');
    }
    return browser;
  };
}

/** Starts a browser of its own, which the caller closes. @param more - arguments, such as rules for host names. */
export async function launch(more: readonly string[] = []): Promise<Browser> {
  const { executable, environment } = await unpackedChromium();
  return await chromium.launch({
    executablePath: executable,
    args: [...ARGUMENTS, ...more],
    env: { ...process.env, ...environment },
  });
}

/** Opens a page as a new visitor and monitors it. It can reach no other origin than its own. */
export async function openPage(
  browser: Browser,
  url: string,
  { isDark = false, width = 1000, scripts = true }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'UTC',
    colorScheme: isDark ? 'dark' : 'light',
    viewport: { width, height: 800 },
    javaScriptEnabled: scripts,
  });
  context.setDefaultTimeout(WAITS_MS_MAX);
  const problems: string[] = [];
  const { origin } = new URL(url);
  await context.route('**/*', async (route) => {
    const asked = route.request().url();
    if (new URL(asked).origin === origin) return await route.continue();
    problems.push(`asks for ${asked}`);
    await route.abort();
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(`throws ${error.message}`));
  page.on('console', (message) => {
    // The browser itself reports each refusal as an error, but refusals are part of the story.
    if (message.type() === 'error' && !/server responded with a status of 4/.test(message.text())) {
      problems.push(`says ${message.text()}`);
    }
  });
  page.on('response', (response) => {
    // A page may be refused. What it consists of may not.
    const isPart = !['document', 'fetch', 'xhr', 'eventsource'].includes(response.request().resourceType());
    if (response.status() >= (isPart ? 400 : 500)) problems.push(`gets ${response.status()} from ${response.url()}`);
  });
  await page.goto(url);
  return {
    page,
    scripts,
    problems,
    appears: async (part) => {
      if (scripts) return await part.waitFor();
      await expect
        .poll(async () => {
          if (!(await part.isVisible())) await part.page().reload();
          return await part.isVisible();
        })
        .toBe(true);
    },
    picture: async (name) => {
      const directory = process.env[PICTURES_VARIABLE];
      if (directory !== undefined) await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true });
    },
    close: async () => await context.close(),
  };
}
