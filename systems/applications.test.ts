import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startFactory } from './additive-manufacturing/http/start.ts';
import { startBigTimeDeals } from './big-time-deals/http/start.ts';
import { startBlog } from './blog/http/start.ts';
import { startAccessControl } from './access-control/http/start.ts';
import { ManualClock } from './clock.ts';
import { startDating } from './dating-app/http/start.ts';
import { startShop } from './e-commerce/http/start.ts';
import { startGitHub } from './github/http/start.ts';
import { startMigrations } from './github-migrations/http/start.ts';
import { startScheduler } from './job-scheduler/http/start.ts';
import { startLessonShop } from './lesson-shop/http/start.ts';
import { SAMPLE_PASSWORD } from './session-store/http/people.ts';
import { startSessionStore } from './session-store/http/start.ts';
import { startSupportDesk } from './support-desk/http/start.ts';
import { serving } from './testing/applications.ts';
import { useBrowser } from './testing/browser.ts';
import { drawn } from './testing/drawn.ts';
import { expectSound, visit } from './testing/visits.ts';

// The main story of each server-rendered application, through what a visitor does and sees. If nothing changes by itself, the pages'
// own policy disables scripts.
const browser = useBrowser();

/**
 * Stories of applications whose pages have a script are told in a browser that runs it, or in one that runs none. A run draws one of the two for the
 * first and the third, and the other one for the second and the fourth.
 */
const WITH = ['with scripts', true] as const;
const WITHOUT = ['without scripts', false] as const;
const FIRST_AND_THIRD = drawn('scripts', [WITH, WITHOUT], 2);
const SECOND_AND_FOURTH = drawn('scripts', [WITHOUT, WITH], 2);

const heading = async (page: Page, name: string): Promise<void> =>
  await page.getByRole('heading', { level: 1, name }).waitFor();
const press = async (page: Page, name: string): Promise<void> =>
  await page.getByRole('button', { name, exact: true }).first().click();

/** Presses a button whose form leads to another page, and waits for that page. Opening one any sooner could cancel the form. */
async function submit(page: Page, name: string | RegExp, index = 0): Promise<void> {
  const arrived = page.waitForEvent('framenavigated');
  await page.getByRole('button', { name, exact: true }).nth(index).click();
  await arrived;
}

/** The line of the strip at the bottom of the screen. */
async function receipt(page: Page): Promise<string> {
  return (await page.locator('.receipt summary').textContent()) ?? '';
}

test('session-store: sign in, look at a key, take one off, end all, and what time does', async () => {
  await serving(startSessionStore, async ({ url }) => {
    await visit(browser(), url, async (page, watched) => {
      const signIn = async (password: string): Promise<void> => {
        await page.getByLabel('Name').fill('user000001');
        await page.getByLabel('Password').fill(password);
        await page.keyboard.press('Enter');
      };
      await heading(page, 'Sign in');
      await signIn('wrong');
      await page.getByRole('alert').getByText('There is no user with this name and password.').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('user000001');
      await signIn(SAMPLE_PASSWORD);
      await heading(page, 'Your keys');
      const rows = page.locator('main .rows li');
      const before = await rows.count();
      expect(await receipt(page)).toMatch(
        new RegExp(`^2 requests · ${before + 1} items read, ${before + 1} shown · 1.5 RCU`),
      );
      await expectSound(watched, 'keyring');
      await rows.first().getByText('this browser').waitFor();
      await page.getByRole('link', { name: 'Look inside' }).first().click();
      await heading(page, 'One key');
      await page.getByText('Live', { exact: true }).waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Take off the ring' }).nth(1).click();
      await page.getByText(`user000001 has ${before - 1} session`).waitFor();
      await page.getByRole('link', { name: 'Clock' }).click();
      await page.getByLabel('Days to move on').fill('8');
      await press(page, 'Move the clock');
      await heading(page, 'Clock');
      await page.getByRole('link', { name: 'Keys' }).click();
      await heading(page, 'Sign in');
      await signIn(SAMPLE_PASSWORD);
      await page.getByRole('button', { name: /^End all/ }).click();
      await heading(page, 'Sign in');
    });
  });
});

test('e-commerce: sign up, save an address, order, look at the order, and the warehouse ships it', async () => {
  await serving(startShop, async ({ url }) => {
    await visit(browser(), url, async (page, watched) => {
      await heading(page, 'Who are you?');
      await page.getByRole('link', { name: 'Sign up as a new customer' }).click();
      await page.getByLabel('Username').fill('ada');
      await page.getByLabel('E-mail address').fill('reader00000@example.com');
      await page.getByLabel('Name', { exact: true }).fill('<b>Ada</b>');
      await press(page, 'Sign up');
      await page.getByText('is taken').waitFor();
      await page.getByLabel('E-mail address').fill('ada@example.org');
      await press(page, 'Sign up');
      await heading(page, 'Addresses');
      for (const [label, text] of [
        ['Name', 'Home'],
        ['Street', '1 Elm Street'],
        ['City', 'Lincoln'],
        ['State', 'NE'],
      ] as const)
        await page.getByLabel(label, { exact: true }).fill(text);
      await press(page, 'Save address');
      await page.getByText('1 Elm Street, Lincoln, NE').waitFor();
      await page.getByRole('link', { name: 'New order' }).click();
      await press(page, 'Place order');
      await page.getByRole('alert').getByText('Choose at least one book.').waitFor();
      await page.getByLabel('Copies of Walden').fill('2');
      await page.getByLabel('Copies of Candide').fill('1');
      await expectSound(watched, 'halfmoon-new-order');
      await press(page, 'Place order');
      await page.getByRole('heading', { level: 1, name: /^Order of / }).waitFor();
      await page.getByText('$65.67').waitFor();
      const orderId = page.url().split('/').at(-1) ?? '';
      expect(await receipt(page)).toMatch(/^2 requests · 4 items read, 4 shown/);
      await expectSound(watched, 'halfmoon-order');
      await page.getByRole('link', { name: 'Orders' }).click();
      await page.getByText('<b>Ada</b>').waitFor();
      // The customer and the orders, and the newest order with its lines beside them.
      await page.getByRole('article', { name: 'The newest order' }).getByText('Candide').waitFor();
      expect(await receipt(page)).toMatch(/^3 requests · 6 items read, 6 shown/);
      await expectSound(watched, 'halfmoon-orders');
      await page.goto(`${url}/warehouse?order=${orderId}`);
      await press(page, 'On its way');
      await page.getByRole('heading', { level: 2, name: 'On its way' }).waitFor();
      await press(page, 'Sign out');
      await heading(page, 'Who are you?');
      await page.goto(`${url}/orders/${orderId}`);
      await heading(page, 'Who are you?');
      await submit(page, 'Continue as reader00000');
      await page.goto(`${url}/orders/${orderId}`);
      await page.getByRole('alert').getByText('This order belongs to another customer.').waitFor();
      await page.goto(url);
      await page.getByRole('link', { name: 'Older orders' }).click();
      await heading(page, 'Older orders');
      expect(await page.locator('main .rows li').count()).toBe(10);
    });
  });
});

test('blog: read an author and a month, sign in, write, edit, be commented on, delete', async () => {
  await serving(
    startBlog,
    async ({ url }) => {
      await visit(browser(), url, async (page, watched) => {
        await heading(page, 'Authors to begin with');
        await page.getByRole('link', { name: 'u000001' }).click();
        await heading(page, 'Writer 1');
        expect(await receipt(page)).toMatch(/^2 requests/);
        await expectSound(watched, 'marginalia-author');
        await page.getByRole('link', { name: 'By month' }).click();
        await page.getByRole('heading', { level: 1, name: /^\w+ \d{4}$/ }).waitFor();
        await page.getByRole('link', { name: 'Write', exact: true }).click();
        await heading(page, 'Who are you?');
        await press(page, 'Continue as u000001');
        await page.getByRole('link', { name: 'Write', exact: true }).click();
        await page.getByLabel('Title').fill('<i>On</i> sorting by bytes');
        await press(page, 'Publish');
        await page.getByText('must not be empty', { exact: true }).waitFor();
        expect(await page.getByLabel('Title').inputValue()).toBe('<i>On</i> sorting by bytes');
        await page.getByLabel('Text').fill('One.\n\nTwo.');
        await press(page, 'Publish');
        await heading(page, '<i>On</i> sorting by bytes');
        const post = page.url();
        await page.getByLabel('Your comment').fill('My own note.');
        await press(page, 'Comment');
        await page.getByText('My own note.').waitFor();
        expect(await page.getByLabel('Your comment').count()).toBe(0);
        await expectSound(watched, 'marginalia-post');
        await page.getByRole('link', { name: 'Edit' }).click();
        await page.getByLabel('Title').fill('On bytes');
        await press(page, 'Save');
        await heading(page, 'On bytes');
        await page.goto(`${url}/authors/u000001`);
        await page.getByRole('link', { name: 'On bytes' }).first().waitFor();
        await page.goto(`${post}/edit`);
        await press(page, 'Delete with all comments');
        await heading(page, 'Writer 1');
        await page.goto(post);
        await page.getByRole('alert').getByText('There is no such post.').waitFor();
      });
    },
    { scale: 0.0005 },
  );
});

test('github: explore, sign in, open an issue, comment, react, close it, star and fork; a new user with a repository', async () => {
  await serving(startGitHub, async ({ url, said }) => {
    await visit(browser(), url, async (page, watched) => {
      const alert = page.getByRole('alert');
      const rows = page.locator('main .rows li');
      await heading(page, 'Explore');
      expect(await receipt(page)).toMatch(/^5 requests · 5 items read, 5 shown · 2.5 RCU/);
      await expectSound(watched, 'branchwork-explore');
      await page.getByRole('link', { name: 'book-corp-1/brisk-book-1' }).click();
      await heading(page, 'book-corp-1 / brisk-book-1');
      expect(await rows.count()).toBe(25);
      await page.getByRole('link', { name: 'More' }).click();
      await page.getByRole('link', { name: 'open', exact: true }).waitFor({ state: 'detached' });
      expect(await rows.count()).toBe(25);
      await page.goBack();
      await page.getByRole('link', { name: 'Sign in', exact: true }).last().click();
      await press(page, 'Continue as ada-codes-1');
      await page.getByRole('link', { name: 'book-corp-1/brisk-book-1' }).click();
      await press(page, 'Open issue');
      await page.getByText('must not be empty', { exact: true }).waitFor();
      await page.getByLabel('Title').fill('<b>It rains in</b>');
      await page.getByLabel('Text').fill('Through the roof.');
      await expectSound(watched, 'branchwork-repository');
      await press(page, 'Open issue');
      await heading(page, '<b>It rains in</b>');
      await page.getByLabel('Your comment').fill('Here, too.');
      await press(page, 'Comment');
      await page.locator('.comments').getByText('Here, too.').waitFor();
      await page.locator('article').getByRole('button', { name: 'heart' }).press('Enter');
      await page.locator('article').getByRole('button', { name: 'heart 1' }).click();
      await alert.getByText('This has been done before.').waitFor();
      await expectSound(watched, 'branchwork-issue');
      expect(await receipt(page)).toMatch(/ 3 items read, 3 shown/);
      await press(page, 'Close');
      await page.getByText('Closed', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'book-corp-1/brisk-book-1' }).click();
      await page.getByRole('link', { name: 'closed', exact: true }).click();
      await rows.first().getByText('It rains in').waitFor();
      await press(page, 'Star');
      await press(page, 'Star');
      await alert.getByText('This has been done before.').waitFor();
      await page.getByRole('link', { name: /^Stars/ }).click();
      await rows
        .getByText(/codes|compiles|debugs/)
        .first()
        .waitFor();
      await press(page, 'Fork');
      await heading(page, 'ada-codes-1 / brisk-book-1');
      await page.getByRole('link', { name: 'book-corp-1/brisk-book-1' }).click();
      await press(page, 'Fork');
      await alert.getByText('There is a repository of this name already.').waitFor();
      await page.getByRole('link', { name: /^Forks/ }).click();
      await page.getByRole('link', { name: 'ada-codes-1/brisk-book-1' }).waitFor();
      await expectSound(watched, 'branchwork-forks');

      await press(page, 'Sign out');
      await page.getByRole('link', { name: 'Sign up as a new user' }).click();
      for (const [login, why] of [
        ['ada-codes-1', 'There is a user of this name already.'],
        ['not a name', 'login does not have the right form.'],
      ] as const) {
        await page.getByLabel('User name').fill(login);
        await press(page, 'Sign up');
        await alert.getByText(why).waitFor();
      }
      await page.getByLabel('User name').fill('newcomer');
      await press(page, 'Sign up');
      await heading(page, 'newcomer');
      await page.getByRole('link', { name: 'New', exact: true }).click();
      await page.getByLabel('Name of the repository').fill('first-steps');
      await expectSound(watched, 'branchwork-new');
      await press(page, 'Create repository');
      await heading(page, 'newcomer / first-steps');
      await page.getByRole('link', { name: 'New', exact: true }).click();
      await page.getByLabel('Name of the organization').fill('newcomers');
      await press(page, 'Create organization');
      await heading(page, 'People of newcomers');
      await page.getByLabel('User').fill('ada-codes-1');
      await press(page, 'Add');
      await rows.getByRole('link', { name: 'ada-codes-1' }).waitFor();
      await expectSound(watched, 'branchwork-people');
      await page.goto(`${url}/accounts/newcomer`);
      await page.getByRole('link', { name: 'newcomers' }).waitFor();
      await page.getByLabel('From').fill('2026-01-31');
      await press(page, 'Save plan');
      await page.getByText(/plan Free/).waitFor();
      await expectSound(watched, 'branchwork-account');
      await page.goto(`${url}/accounts/absent-user`);
      await alert.getByText('There is no such account.').waitFor();
    });
    expect(said.slice(1)).toEqual([]);
  });
});

test.each(FIRST_AND_THIRD)(
  'job-scheduler, %s: a worker is killed, its job comes back when the lease ends, and another does it; a job that fails dies',
  async (_, scripts) => {
    const base = new ManualClock('2026-03-02T08:00:00Z');
    await serving(
      async (options) => await startScheduler({ ...options, base }),
      async ({ url, said }) => {
        await visit(
          browser(),
          url,
          async (page, watched) => {
            const schedule = async (name: string, end: string): Promise<void> => {
              await page.getByRole('link', { name: 'Schedule', exact: true }).click();
              await page.getByLabel('Name').fill(name);
              await page.getByLabel('In the hands of our workers it').selectOption(end);
              await submit(page, 'Schedule');
            };
            const moveClock = async (seconds: number): Promise<void> => {
              await page.getByLabel('Seconds to move on').fill(String(seconds));
              await submit(page, 'Move the clock');
            };
            const ended = page.locator('section', { has: page.getByRole('heading', { name: 'Ended', exact: true }) });
            await heading(page, 'Board');
            await page.getByText('Nothing is due.').waitFor();
            await schedule(' ', 'succeeds');
            await page.getByRole('alert').getByText('Name must not be empty.').waitFor();
            await schedule('<b>Call 7</b>', 'succeeds');
            await heading(page, '<b>Call 7</b>');
            await expectSound(watched, 'escapement-job');
            const job = page.url();
            await page.getByRole('link', { name: 'Board' }).click();
            await page.getByText('0 s late').waitFor();
            expect(await receipt(page)).toMatch(/^4 requests · 1 item read, 1 shown · 2 RCU/);
            await submit(page, 'Start a worker');
            // From here on the page changes by itself.
            await watched.appears(page.getByText('Works: <b>Call 7</b>'));
            await watched.appears(page.getByText('Nothing is due.'));
            await expectSound(watched, 'escapement-board');
            await page.getByRole('button', { name: 'Kill worker-1' }).press('Enter');
            await page.getByText('Killed', { exact: true }).waitFor();
            await moveClock(21);
            await watched.appears(page.getByText('its lease has ended'));
            await watched.appears(page.getByText('1 s late'));
            await submit(page, 'Start a worker');
            await watched.appears(page.getByText('Works: <b>Call 7</b>'));
            await moveClock(7);
            await watched.appears(ended.getByText('Done', { exact: true }));
            await page.goto(job);
            await page.getByText('2 of 3').waitFor();

            await schedule('Poison', 'fails');
            await heading(page, 'Poison');
            const failing = page.url();
            for (let attempt = 1; attempt <= 3; attempt += 1) {
              await page.goto(url);
              await watched.appears(page.getByText('Works: Poison'));
              await moveClock(7);
              await watched.appears(ended.getByText('Poison').nth(attempt - 1));
              await moveClock(10);
            }
            await page.goto(failing);
            await page.getByText('never again').waitFor();
            await page.locator('nav').getByRole('link', { name: 'Dead' }).click();
            await page.getByText('tried 3 times of 3').waitFor();
            await page.getByRole('link', { name: 'Board' }).click();
            await page.getByRole('link', { name: 'Hold still' }).click();
            await page.getByRole('link', { name: 'Let it move' }).waitFor();
          },
          { scripts },
        );
        expect(said).toEqual([]);
      },
      { scale: 0 },
    );
  },
);

test.each(SECOND_AND_FOURTH)(
  'access-control, %s: ask, change a policy by the queue, see its copies turn when the worker works, and ask again',
  async (_, scripts) => {
    await serving(startAccessControl, async ({ url, said }) => {
      await visit(
        browser(),
        url,
        async (page, watched) => {
          await heading(page, 'May they?');
          await page.getByRole('link', { name: 'People' }).click();
          await heading(page, 'Organisation 1');
          await page.locator('main .rows a').first().click();
          await page.getByRole('heading', { level: 2, name: 'Roles' }).waitFor();
          expect(await receipt(page)).toMatch(/^1 request/);
          await expectSound(watched, 'gatehouse-person');
          const user = page.url().split('/').at(-1) ?? '';
          await page.getByLabel('Another role').fill('none');
          await press(page, 'Give');
          await page.getByRole('alert').getByText('There is no such role.').waitFor();
          await page.locator('main .rows a').first().click();
          const status = page.getByRole('status');
          await status.getByText(/^(\d+) of \1 copies are at version 1\.$/).waitFor();
          const policy = page.url();

          await page.getByRole('link', { name: 'Queue' }).click();
          await press(page, 'Stop the worker');
          await page.getByText('Stopped', { exact: true }).waitFor();
          await page.goto(policy);
          await page.getByLabel('Statements').fill('no JSON');
          await press(page, 'Change the policy');
          await page.getByRole('alert').getByText('The document has to be JSON.').waitFor();
          const statement = { effect: 'Allow', actions: ['gates:*'], resources: ['<b>*</b>', '*'] };
          await page.getByLabel('Statements').fill(JSON.stringify({ statements: [statement] }));
          await press(page, 'Change the policy');
          await status.getByText(/^0 of \d+ copies are at version 2\.$/).waitFor();
          await expectSound(watched, 'gatehouse-policy');
          const looksOn = await page.context().newPage();
          await looksOn.goto(policy);
          await page.getByRole('link', { name: 'Queue' }).click();
          await page.getByText('policy update').waitFor();
          await expectSound(watched, 'gatehouse-queue');
          await press(page, 'Let the worker work');
          // The other window changes by itself.
          await watched.appears(looksOn.getByRole('status').getByText(/^(\d+) of \1 copies are at version 2\.$/));
          await page.goto(url);
          await page.getByLabel('User').fill(user);
          await page.getByLabel('Action').fill('gates:open');
          await page.getByRole('button', { name: 'Ask' }).press('Enter');
          await status.getByText('YES').waitFor();
          expect(await receipt(page)).toMatch(/^1 request/);
          await expectSound(watched, 'gatehouse-ask');
        },
        { scripts },
      );
      expect(said.filter((line) => /Error/.test(line))).toEqual([]);
    });
  },
);

test('lesson-shop: look at a product, sign in, order, review it, and the counter ships the order', async () => {
  await serving(startLessonShop, async ({ url, said }) => {
    await visit(browser(), url, async (page, watched) => {
      await heading(page, 'The shelf');
      expect(await receipt(page)).toMatch(/^No request/);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await press(page, 'Continue as u00001');
      await heading(page, 'The shelf');
      await press(page, 'Place order');
      await page.getByRole('alert').getByText('Choose at least one product.').waitFor();
      const counts = page.getByRole('spinbutton');
      await counts.nth(0).fill('2');
      await counts.nth(1).fill('100');
      await press(page, 'Place order');
      await page.getByRole('alert').getByText('has to be a whole number').waitFor();
      expect(await counts.nth(0).inputValue()).toBe('2');
      await counts.nth(1).fill('1');
      await expectSound(watched, 'mercearia-shelf');
      await page.getByRole('button', { name: 'Place order' }).press('Enter');
      await page.getByRole('heading', { level: 1, name: /^Order / }).waitFor();
      expect(await receipt(page)).toMatch(/^2 requests · 4 items read, 4 shown/);
      await expectSound(watched, 'mercearia-order');
      const orderId = decodeURIComponent(page.url().split('/').at(-1) ?? '');
      await page.getByRole('link', { name: 'Orders' }).click();
      await page.getByRole('link', { name: orderId }).waitFor();
      await page.getByRole('link', { name: 'All orders' }).click();
      await heading(page, 'All your orders');
      await page.getByRole('link', { name: 'Account' }).click();
      await page.getByRole('heading', { level: 2, name: 'Sessions' }).waitFor();
      await page.getByRole('link', { name: 'Counter' }).click();
      await page.getByLabel('Order', { exact: true }).fill(orderId);
      await press(page, 'Find the order');
      await press(page, 'On its way');
      await page.locator('.raised').getByText('On its way').waitFor();
      await expectSound(watched, 'mercearia-counter');
      await page.getByRole('link', { name: 'Shelf' }).click();
      // A customer has already reviewed some products. The pages of the others have a form.
      const products = await page
        .locator('.shelf a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
      const write = page.getByLabel('Your review');
      for (const product of products) {
        await page.goto(`${url}${product}`);
        if ((await write.count()) > 0) break;
      }
      await write.fill('<i>A second bottle</i>');
      await expectSound(watched, 'mercearia-product');
      await press(page, 'Publish');
      await page.getByText('5 of 5: <i>A second bottle</i>').waitFor();
      expect(await write.count()).toBe(0);
      await submit(page, 'Sign out');
      await page.goto(`${url}/orders/${encodeURIComponent(orderId)}`);
      await heading(page, 'Who are you?');
      await press(page, 'Continue as u00002');
      await heading(page, 'The shelf');
      await page.goto(`${url}/orders/${encodeURIComponent(orderId)}`);
      await page.getByRole('alert').getByText('This order belongs to another customer.').waitFor();
    });
    expect(said.slice(1)).toEqual([]);
  });
});

test.each(FIRST_AND_THIRD)(
  'dating-app, %s: not now and back by the keys, a like that is returned, the match, and its end; then the sweep',
  async (_, scripts) => {
    await serving(
      startDating,
      async ({ url, ask, said }) => {
        const tokenOf = async (username: string): Promise<string> =>
          String((await ask('POST', '/sessions', { body: { username } })).body['token']);
        const [mine, theirs] = [await tokenOf('u1'), await tokenOf('u2')];
        await ask('DELETE', '/likes/u2', { token: mine });
        await ask('DELETE', '/likes/u1', { token: theirs });
        // The newest like is the first card.
        expect((await ask('PUT', '/likes/u1', { token: theirs })).body).toEqual({ outcome: 'liked' });
        await visit(
          browser(),
          url,
          async (page, watched) => {
            await heading(page, 'Who are you?');
            await press(page, 'Continue as u1');
            await heading(page, 'Likes you');
            const card = page.locator('.card img');
            const faceOf = async (): Promise<string | null> => await card.getAttribute('src');
            expect(await faceOf()).toBe('/picture/face/u2.svg');
            expect(await receipt(page)).toMatch(/^7 requests/);
            await expectSound(watched, 'two-of-us-deck');
            // On a small desktop the hands are seen without scrolling, above the strip.
            await page.setViewportSize({ width: 1280, height: 800 });
            const hand = await page.getByRole('button', { name: /^Like / }).boundingBox();
            const strip = await page.locator('.receipt').boundingBox();
            expect((hand?.y ?? 0) + (hand?.height ?? 0)).toBeLessThanOrEqual(strip?.y ?? 0);
            const answer = async (key: string, label: string): Promise<void> =>
              scripts ? await page.keyboard.press(key) : await page.getByRole('button', { name: label }).press('Enter');
            await answer('ArrowLeft', 'Not now');
            // The page's script handles keys, and it runs before the page has loaded.
            await page.locator('.card img:not([src$="/u2.svg"])').waitFor();
            await page.waitForLoadState();
            await answer('ArrowUp', 'Bring the last one back');
            await page.locator('.card img[src$="/u2.svg"]').waitFor();
            await page.waitForLoadState();
            await answer('ArrowRight', 'Like');
            await page.getByRole('status').getByText('It is a match.').waitFor();
            expect(await faceOf()).not.toBe('/picture/face/u2.svg');
            await page.getByRole('link', { name: 'Look at it' }).click();
            await page.getByRole('heading', { level: 1, name: /^You and / }).waitFor();
            const match = page.url();
            await press(page, 'Say hello');
            await page.getByText('30 days left.').waitFor();
            await expectSound(watched, 'two-of-us-match');
            await press(page, 'Let go');
            await heading(page, 'Matches');
            await page.goto(match);
            await page.getByRole('alert').getByText('There is no such match.').waitFor();
            await page.getByRole('link', { name: 'You like' }).click();
            await heading(page, 'You like');
            const likes = page.locator('main .rows li');
            const before = await likes.count();
            await page
              .getByRole('button', { name: /^Take back the like of / })
              .first()
              .press('Enter');
            await expect.poll(async () => await likes.count()).toBe(before - 1);
            await expectSound(watched, 'two-of-us-likes');
            await page.getByRole('link', { name: 'Sweep' }).click();
            await heading(page, 'The sweep');
            await expectSound(watched, 'two-of-us-sweep');
            await press(page, 'Sweep');
            await page
              .getByRole('status')
              .getByText(/^\d+ matches were ended\.$/)
              .waitFor();
            await page.getByText(/\b0 matches that neither/).waitFor();
          },
          { scripts },
        );
        expect(said.slice(1)).toEqual([]);
      },
      { scale: 0.0002 },
    );
  },
);

test('additive-manufacturing: an order from its materials to quality control, a part that leads back to it, a material', async () => {
  await serving(
    startFactory,
    async ({ url, said }) => {
      await visit(browser(), url, async (page, watched) => {
        await heading(page, 'The floor');
        expect(await receipt(page)).toMatch(/^3 requests/);
        await page.getByRole('link', { name: 'Begin an order' }).click();
        await heading(page, 'Begin an order');
        await page.getByLabel('Order', { exact: true }).fill('order-17');
        await page.getByLabel('The second material').selectOption('titanium');
        await page.getByLabel('Grams of the first').fill('45g');
        await press(page, 'Gather the materials');
        await page.getByRole('alert').getByText('First mass has to be a number.').waitFor();
        expect(await page.getByLabel('Order', { exact: true }).inputValue()).toBe('order-17');
        await page.getByLabel('Grams of the first').fill('45');
        await expectSound(watched, 'sinter-new');
        await press(page, 'Gather the materials');
        await heading(page, 'order-17');
        await page.getByLabel('Grams of the mixture').fill('91');
        await press(page, 'Record the mixture');
        await page.getByRole('alert').getByText('is 91, that of its materials 90.').waitFor();
        await page.getByLabel('Grams of the mixture').fill('90');
        await press(page, 'Record the mixture');
        await page.getByLabel('Parts', { exact: true }).fill('4');
        await press(page, 'Record the printing');
        await page.getByRole('button', { name: 'Record the baking' }).press('Enter');
        await page.getByLabel('Porosity of each of 4 parts in %').fill('12');
        await press(page, 'Record what was found');
        await page.getByText('The order is done.').waitFor();
        expect(await page.locator('.parts li').count()).toBe(4);
        await expectSound(watched, 'sinter-order');
        await page.locator('.parts a').first().click();
        await heading(page, 'order-17-000');
        await page.getByText('porosity 12 %').waitFor();
        expect(await receipt(page)).toMatch(/^2 requests/);
        await expectSound(watched, 'sinter-part');
        await page.getByRole('link', { name: 'order-17', exact: true }).click();
        await heading(page, 'order-17');
        await page.getByRole('link', { name: 'Floor' }).click();
        await page.getByRole('link', { name: 'order-17', exact: true }).waitFor();
        await expectSound(watched, 'sinter-floor');
        await page.getByRole('link', { name: 'Materials' }).click();
        await page.locator('main').getByRole('link', { name: 'titanium' }).click();
        await heading(page, 'titanium');
        await page.getByRole('link', { name: 'Exactly' }).click();
        await page.getByText('exactly').waitFor();
        await page.locator('main').getByRole('link', { name: 'order-17' }).waitFor();
        await expectSound(watched, 'sinter-material');
        await page.getByRole('link', { name: 'Export' }).click();
        await heading(page, 'Export');
        await page.getByLabel('Changes since').fill('yesterday');
        await press(page, 'Export');
        await page.getByText('has to be a time', { exact: false }).first().waitFor();
        expect(await page.getByLabel('Changes since').inputValue()).toBe('yesterday');
        await page.getByLabel('Changes since').fill('');
        await expectSound(watched, 'sinter-export');
        await page.getByRole('button', { name: 'Export' }).press('Enter');
        await heading(page, 'One export');
        await watched.appears(page.getByText('Done', { exact: true }));
        await page.getByText(/manifest-summary/).waitFor();
        await expectSound(watched, 'sinter-exported');
      });
      expect(said.slice(1)).toEqual([]);
    },
    { scale: 0.003, buckets: ['lake'] },
  );
});

test.each(SECOND_AND_FOURTH)(
  'github-migrations, %s: run while visitors click, verify, and see a list before and after',
  async (_, scripts) => {
    await serving(
      startMigrations,
      async ({ url, said }) => {
        await visit(
          browser(),
          url,
          async (page, watched) => {
            const rowOf = (id: string) => page.locator('#moves li', { hasText: id });
            const act = async (id: string, label: string): Promise<void> => {
              await page.goto(`${url}/migrations/${id}`);
              await press(page, label);
            };
            await heading(page, 'Migrations');
            await page.getByRole('link', { name: 'MIG-4' }).click();
            await heading(page, 'MIG-4, at a pace');
            await press(page, 'Run');
            await page.getByRole('alert').getByText('MIG-3 comes first.').waitFor();
            await page.getByRole('heading', { name: 'Plan' }).waitFor();
            await page.getByText(/GSI4/).first().waitFor();
            await expectSound(watched, 'year-later-pace');
            for (const id of ['MIG-1', 'MIG-2', 'MIG-3']) {
              await act(id, 'Run');
              await watched.appears(rowOf(id).getByText('Done', { exact: true }));
            }
            await press(page, 'Let visitors click');
            await page.getByText('Visitors click').waitFor();
            await act('MIG-4', 'Run');
            // The page changes by itself.
            await watched.appears(rowOf('MIG-4').getByText('Done', { exact: true }));
            await act('MIG-4', 'Verify');
            await watched.appears(rowOf('MIG-4').getByText('Verified', { exact: true }));
            await press(page, 'Stop the visitors');
            await page.getByText(', 0 faults').waitFor();
            await expectSound(watched, 'year-later-moves');
            await page.goto(`${url}/migrations/MIG-4`);
            await page.getByRole('button', { name: 'Read by key: openIssues' }).press('Enter');
            await page.getByRole('button', { name: 'Read as before: openIssues' }).waitFor();
            await page.getByRole('link', { name: 'Before and after' }).click();
            await heading(page, 'Before and after');
            await page.getByText('no keys yet').first().waitFor();
            await expectSound(watched, 'year-later-compare');

            // The site on the same table, with what the migrations brought.
            await page.getByRole('link', { name: 'Sign in', exact: true }).click();
            await press(page, 'Continue as ada-codes-1');
            await page.getByRole('link', { name: 'Explore' }).click();
            await page.getByRole('link', { name: 'ada-codes-1' }).click();
            await page.getByRole('link', { name: 'Gists' }).click();
            await page.getByLabel('Title').fill('<b>Notes</b>');
            await page.getByLabel('Name of the file').fill('notes.md');
            await page.getByLabel('Text').fill('# One');
            await press(page, 'Share');
            await heading(page, '<b>Notes</b>');
            await expectSound(watched, 'year-later-gist');
            await page.goto(`${url}/accounts/ada-codes-1/apps`);
            await page.getByLabel('Name of the app').fill('Git-Hub Analytics');
            await page.getByRole('button', { name: 'Create app' }).press('Enter');
            await heading(page, 'Git-Hub Analytics');
            await page.getByLabel('Repository').fill('book-corp-1/brisk-book-1');
            await press(page, 'Install');
            await page.getByRole('link', { name: 'book-corp-1/brisk-book-1' }).click();
            await heading(page, 'book-corp-1 / brisk-book-1');
            await page.getByRole('link', { name: 'ada-codes-1/githubanalytics' }).waitFor();
            expect(await receipt(page)).toMatch(/^2 requests · 3 items read, 3 shown/);
            await page.getByLabel('Name of the code').fill('Be kind');
            await page.getByLabel('Address').fill('https://example.org/kind');
            await press(page, 'Save');
            await page.getByRole('link', { name: 'Be kind' }).waitFor();
            await expectSound(watched, 'year-later-apps');
          },
          { scripts },
        );
        expect(said.slice(1)).toEqual([]);
      },
      { scale: 0.001 },
    );
  },
);

test('support-desk: a customer opens a ticket, an agent takes, answers and closes it; who comes too late is told so', async () => {
  await serving(startSupportDesk, async ({ url, said }) => {
    await visit(browser(), url, async (page, watched) => {
      const alert = page.getByRole('alert');
      await heading(page, 'Customer or agent?');
      await expectSound(watched, 'night-desk-sign-in');
      const newCustomer = page.getByRole('form', { name: 'New customer' });
      await newCustomer.getByLabel('Name').fill('Ada Keller');
      await newCustomer.getByLabel('E-mail address').fill('nowhere@x');
      await page.getByRole('button', { name: 'Begin as a customer' }).press('Enter');
      await page.getByText('has to be an e-mail address', { exact: true }).waitFor();
      await newCustomer.getByLabel('E-mail address').fill('ada@example.org');
      await press(page, 'Begin as a customer');
      await heading(page, 'Ada Keller');
      await page.getByText('Ada Keller, customer').waitFor();
      await page.getByLabel('Subject').fill('<i>Export</i> stops half way');
      await page.getByLabel('What is it about?').fill('It worked last week.');
      await press(page, 'Open ticket');
      await heading(page, '<i>Export</i> stops half way');
      await page.locator('.talk li.customer').getByText('It worked last week.').waitFor();
      expect(await receipt(page)).toMatch(/^2 requests · 3 items read, 3 shown/);
      expect(await page.getByRole('button', { name: 'Take it' }).count()).toBe(0);
      const ticket = page.url();
      await page.getByRole('link', { name: 'Today' }).click();
      expect(await receipt(page)).toMatch(/^4 requests/);
      await expectSound(watched, 'night-desk-customer');
      await page.getByRole('link', { name: 'All tickets' }).click();
      await heading(page, 'All tickets');

      // The agent's first page already says who the agent is.
      await visit(browser(), url, async (desk, seenByAgent) => {
        await desk
          .getByRole('button', { name: /^Continue as .*, agent$/ })
          .first()
          .click();
        await heading(desk, 'Your day');
        await desk
          .locator('.me')
          .getByText(/, agent$/)
          .waitFor();
        await desk.getByText('No ticket was assigned to you on this day.').waitFor();
        await desk.goto(ticket);
        await press(desk, 'Take it');
        await desk.getByText(/yours since/).waitFor();
        await desk.getByLabel('Your message').fill('I am looking into it.');
        await press(desk, 'Send');
        await desk.locator('.talk li.agent').getByText('I am looking into it.').waitFor();
        await expectSound(seenByAgent, 'night-desk-ticket');
        await desk.getByRole('link', { name: 'Today' }).click();
        await desk.getByRole('link', { name: '<i>Export</i> stops half way' }).waitFor();
        await desk.getByLabel('Time zone').selectOption('America/Anchorage');
        await desk.getByLabel('Day', { exact: true }).fill('2020-01-01');
        await press(desk, 'Show');
        await desk.getByText('No ticket was assigned to you on this day.').waitFor();
        await expectSound(seenByAgent, 'night-desk-day');
        await desk.getByRole('link', { name: 'Tickets' }).click();
        await heading(desk, 'Your open tickets');
        await expectSound(seenByAgent, 'night-desk-tickets');

        // Two agents look at the ticket at once; the second one comes too late.
        await visit(browser(), url, async (other) => {
          await submit(other, /^Continue as .*, agent$/, 1);
          await other.goto(ticket);
          await desk.goto(ticket);
          await press(desk, 'Put it back');
          await desk.getByText(/with no agent yet/).waitFor();
          await press(other, 'Take it');
          await other.getByRole('alert').getByText('Somebody else has changed the ticket meanwhile.').waitFor();
          await press(desk, 'Close');
          await desk.getByText('Closed', { exact: true }).waitFor();
          await press(other, 'Close');
          await other.getByRole('alert').getByText('The ticket is closed.').waitFor();
          await other.getByRole('link', { name: 'Who had it' }).click();
          await heading(other, 'Who had the ticket');
          expect(await other.locator('main .rows li').count()).toBe(1);
        });
      });
      await page.goto(ticket);
      await press(page, 'Reopen');
      await page.getByText('Open', { exact: true }).waitFor();
      await press(page, 'Sign out');
      await heading(page, 'Customer or agent?');
      await submit(page, /^Continue as .*, customer$/);
      await page.goto(ticket);
      await alert.getByText('This belongs to another customer.').waitFor();
    });
    expect(said.slice(1)).toEqual([]);
  });
});

test('big-time-deals: sign up, like and watch a brand, an editor adds a deal, and it reaches front page and inbox', async () => {
  const TOKEN = 'a-token-of-editors';
  const start: Parameters<typeof serving>[0] = async (options) =>
    await startBigTimeDeals({ ...options, editorToken: TOKEN, pollIntervalMs: 20 });
  await serving(
    start,
    async ({ url, said }) => {
      await visit(browser(), url, async (page, watched) => {
        const alert = page.getByRole('alert');
        const rows = page.locator('main .rows li');
        await heading(page, 'Deals');
        expect(await rows.count()).toBe(25);
        expect(await receipt(page)).toMatch(/^2 requests · 2 items read, 2 shown/);
        await expectSound(watched, 'deals-front-page');
        await page.setViewportSize({ width: 1280, height: 800 });
        expect((await page.locator('header').boundingBox())?.height).toBeLessThan(72);
        await page.getByRole('link', { name: 'Older deals' }).click();
        await heading(page, 'Older deals');
        expect(await rows.count()).toBe(25);
        await page.getByRole('link', { name: 'Sign in', exact: true }).click();
        await page.getByRole('link', { name: 'Sign up as a new user' }).click();
        await page.getByLabel('Username').fill('hunter1');
        await page.getByLabel('E-mail address').fill('clicker@example.org');
        await press(page, 'Sign up');
        await alert.getByText('There is a user of this name already.').waitFor();
        await page.getByLabel('Username').fill('clicker');
        await press(page, 'Sign up');
        await heading(page, 'clicker');
        await page.getByLabel('Birthday').fill('1990-02-03');
        await press(page, 'Save');
        await heading(page, 'clicker');
        expect(await page.getByLabel('Birthday').inputValue()).toBe('1990-02-03');
        await page.getByLabel('Birthday').fill('');
        await press(page, 'Save');
        await heading(page, 'clicker');
        expect(await page.getByLabel('Birthday').inputValue()).toBe('');
        await expectSound(watched, 'deals-settings');

        await page.getByRole('link', { name: 'Brands' }).click();
        await expectSound(watched, 'deals-brands');
        await page.getByRole('link', { name: 'Alder Works' }).click();
        await page.getByRole('button', { name: 'Like' }).press('Enter');
        await page.getByText(/likes, \d+ watch it/).waitFor();
        await press(page, 'Like');
        await alert.getByText('You have done so already.').waitFor();
        await press(page, 'Watch');
        await page.getByText(/[1-9]\d* watch it/).waitFor();
        await expectSound(watched, 'deals-brand');

        await visit(browser(), `${url}/editors`, async (desk, seen) => {
          await desk.getByLabel('Token of editors').fill('guess');
          await press(desk, 'Enter');
          await desk.getByRole('alert').getByText('This is not the token of editors.').waitFor();
          await desk.getByLabel('Token of editors').fill(TOKEN);
          await press(desk, 'Enter');
          await desk.getByRole('heading', { name: 'Add a deal' }).waitFor();
          await press(desk, 'Add deal');
          await desk.getByText('must not be empty', { exact: true }).waitFor();
          await expectSound(seen, 'deals-editors');
          await desk.getByLabel('Title').fill('<b>Umbrella</b>, 20% off');
          await desk.getByLabel('Price').fill('12.5');
          await desk.getByLabel('Brand', { exact: true }).selectOption('Alder Works');
          await desk.getByLabel('Category', { exact: true }).selectOption('Fashion');
          await press(desk, 'Add deal');
          await heading(desk, '<b>Umbrella</b>, 20% off');
          await desk.getByText('$12.50').waitFor();
          await expectSound(seen, 'deals-deal');
          await desk.goto(`${url}/editors`);
          await desk.getByLabel('Ids of the deals').fill('one\ntwo');
          await press(desk, 'Feature');
          await desk.getByRole('alert').getByText('There is no such deal.').waitFor();
          await desk.goto(`${url}/categories/fashion`);
          await desk.getByRole('link', { name: '<b>Umbrella</b>, 20% off' }).waitFor();
          await expectSound(seen, 'deals-category');
        });
        // The copies of the front page and the messages follow from the stream.
        await expect
          .poll(async () => {
            await page.goto(url);
            return await rows.first().textContent();
          })
          .toMatch(/Umbrella/);
        await expect
          .poll(async () => {
            await page.goto(`${url}/inbox?unread=true`);
            return await rows.count();
          })
          .toBe(1);
        await rows.getByText('<b>Umbrella</b>, 20% off').waitFor();
        await expectSound(watched, 'deals-inbox');
        await page.getByRole('button', { name: /^Mark as read/ }).click();
        await rows.getByText('Read', { exact: true }).waitFor();
        await page.getByRole('link', { name: 'Unread' }).click();
        await page.getByText('No messages.').waitFor();
        await page.goto(`${url}/deals/none`);
        await alert.getByText('There is no such deal.').waitFor();
      });
      expect(said.slice(1)).toEqual([]);
    },
    { scale: 0.01 },
  );
});
