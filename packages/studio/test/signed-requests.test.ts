import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SingletProcess } from '../../singlet/test/singlet-process.ts';
import { useBrowser } from '../../../systems/testing/browser.ts';
import { bookShopModel } from './book-shop.ts';
import { expectAccessible, expectToFit, visiting } from './studio-world.ts';

/* The page of a server that identifies its callers: no view takes the refusals for something else, and each says what to do. */

const browser = useBrowser();
let folder: string;
let server: SingletProcess;
let origin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'singlet-signed-'));
  const auth = join(folder, 'auth.json');
  await new SingletProcess(['identity', 'create', 'alice', '--auth', auth]).ended;
  server = new SingletProcess(['serve', '--port', '0', '--memory', '--auth', auth, '--model', bookShopModel]);
  origin = new URL(await server.ready()).origin;
});
afterAll(async () => {
  await server.end('SIGTERM');
  await rm(folder, { recursive: true });
});

test.each([
  [1280, false],
  [360, true],
])('a server with --auth: each view says that it takes signed requests only, %i px wide', async (width, isDark) => {
  await visiting(
    browser(),
    `${origin}/studio`,
    async (page, { picture }) => {
      for (const path of [
        '',
        '/t/Shop',
        '/q/Shop',
        '/m',
        '/requests',
        '/heat/Shop',
        '/migrations',
        '/tour',
        '/settings',
      ]) {
        await page.goto(`${origin}/studio${path}`);
        const line = page.getByRole('complementary', { name: 'Signatures required' });
        await line.getByText('This server requires signed requests').waitFor();
        await line.getByText(`npx singlet studio --endpoint ${origin}`).waitFor();
        await page.locator('main').waitFor();
        expect(await page.getByText('is not a Singlet server').count(), path).toBe(0);
      }
      await expectToFit(page);
      await expectAccessible(page);
      await picture(`signed-requests-${width}`);
    },
    { width, isDark },
  );
});
