import { expect, test } from 'vitest';
import { plantedSecret, SecretWatch } from './planted-secret.ts';
import { useStudio, openStudio } from './studio-world.ts';
import { useBrowser } from '../../../systems/testing/browser.ts';

const browser = useBrowser();
const world = useStudio(() => openStudio(browser));

/* Every visit of the suite ends with this search; here it has something to find. */
test('WB-59: a secret is found wherever the page has it, and nowhere in a page that has none', async () => {
  const url = `${world.server.url}/studio/settings`;
  const leaks: Readonly<Record<string, (secret: string) => unknown>> = {
    'the address': (secret) => history.replaceState(null, '', `?key=${encodeURIComponent(secret)}`),
    'the text': (secret) => document.body.append(secret),
    'a field': (secret) => Object.assign(document.body.appendChild(document.createElement('input')), { value: secret }),
    'local storage': (secret) => localStorage.setItem('key', btoa(secret)),
    'session storage': (secret) => sessionStorage.setItem('key', secret),
    'the history': (secret) => history.replaceState({ secret }, ''),
    cookies: (secret) => (document.cookie = `key=${encodeURIComponent(secret)}`),
    databases: async (secret) => {
      await new Promise((resolve) => {
        const opening = indexedDB.open('keys');
        opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('keys'));
        opening.addEventListener('success', () => {
          const put = opening.result.transaction('keys', 'readwrite').objectStore('keys').put({ secret }, 'key');
          put.addEventListener('success', () => {
            opening.result.close();
            resolve(undefined);
          });
        });
      });
    },
    'the console': (secret) => window.console.log(secret),
  };
  for (const [place, leak] of Object.entries(leaks)) {
    const context = await browser().newContext({ locale: 'en-GB' });
    const page = await context.newPage();
    const watch = new SecretWatch(page);
    await page.goto(url);
    await page.getByRole('heading', { name: 'Connection' }).waitFor();
    if (place === 'the address') expect(await watch.found()).toEqual([]);
    await page.evaluate(leak, plantedSecret);
    await expect.poll(() => watch.found(), { message: place }).toContain(place);
    await context.close();
  }
});
