import type { Page } from 'playwright-core';

/*
 * Credentials have no place in the page: not in an address, a request, an answer, storage, the console or the text. The process of every test of
 * a view has this secret, as a person's terminal has one, and every visit ends with a search for it.
 */

export const plantedSecret = 'wJalrXUtnFEMI/K7MDENG+bPlantedSECRET0123';

const formsOf = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replaceAll('=', ''),
  Buffer.from(secret).toString('hex'),
];

/** Files of the page and streams without an end are not searched for the secret: the former are the same for everybody. */
const searchedTypes: ReadonlySet<string> = new Set(['document', 'fetch', 'xhr']);

export function hasSecret(text: string, secret = plantedSecret): boolean {
  return formsOf(secret).some((form) => text.includes(form));
}

/** Looks for the secret in everything that a page sends, receives, says and keeps. */
export class SecretWatch {
  readonly #page: Page;
  readonly #secret: string;
  readonly #places = new Set<string>();
  readonly #reading: Promise<void>[] = [];

  constructor(page: Page, secret = plantedSecret) {
    this.#page = page;
    this.#secret = secret;
    page.on('request', (request) => {
      this.#look('the address of a request', request.url());
      this.#look('a header of a request', JSON.stringify(request.headers()));
      this.#look('the body of a request', request.postData() ?? '');
    });
    page.on('response', (response) => {
      this.#look('a header of an answer', JSON.stringify(response.headers()));
      const isEndless = (response.headers()['content-type'] ?? '').startsWith('text/event-stream');
      if (isEndless || !searchedTypes.has(response.request().resourceType())) return;
      // A page that is left drops answers, which then were not seen.
      this.#reading.push(
        response.text().then(
          (text) => this.#look('an answer', text),
          () => undefined,
        ),
      );
    });
    page.on('console', (message) => this.#look('the console', message.text()));
    page.on('framenavigated', (frame) => this.#look('an address', frame.url()));
  }

  /** The places where the secret was found. */
  async found(): Promise<readonly string[]> {
    await Promise.all(this.#reading);
    const kept = await this.#page.evaluate(async () => {
      // By number: an item whose name is that of a method, such as `key`, is no property.
      const itemsOf = (storage: Storage): string =>
        JSON.stringify(Array.from(storage, (_, at) => [storage.key(at), storage.getItem(storage.key(at) ?? '')]));
      const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea, select')];
      return {
        'the address': location.href,
        'the text': document.documentElement.outerHTML,
        'a field': JSON.stringify(fields.map(({ value }) => value)),
        'local storage': itemsOf(localStorage),
        'session storage': itemsOf(sessionStorage),
        'the history': JSON.stringify(history.state),
        databases: JSON.stringify(await everythingIn(await indexedDB.databases())),
      };

      /** Names, keys and values of all databases of the page. */
      async function everythingIn(databases: readonly IDBDatabaseInfo[]): Promise<readonly unknown[]> {
        const found: unknown[] = [];
        for (const { name = '' } of databases) {
          const database = await answerOf(indexedDB.open(name));
          for (const store of database.objectStoreNames) {
            const opened = database.transaction(store).objectStore(store);
            found.push(name, store, await answerOf(opened.getAllKeys()), await answerOf(opened.getAll()));
          }
          database.close();
        }
        return found;
      }

      function answerOf<Answer>(request: IDBRequest<Answer>): Promise<Answer> {
        return new Promise((resolve, reject) => {
          request.addEventListener('success', () => resolve(request.result));
          request.addEventListener('error', () => reject(request.error ?? new TypeError('no answer')));
        });
      }
    });
    // With those that no script may read.
    this.#look('cookies', JSON.stringify(await this.#page.context().cookies()));
    for (const [place, text] of Object.entries(kept)) this.#look(place, text);
    return [...this.#places];
  }

  #look(place: string, text: string): void {
    if (hasSecret(text, this.#secret)) this.#places.add(place);
  }
}
