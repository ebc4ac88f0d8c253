import { scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../../clock.ts';
import { HttpError } from '../../http/http-error.ts';

// The users who may sign in. The session store knows only names. Users and their passwords are kept elsewhere, here in the program.

/** The password of every sample user. */
export const SAMPLE_PASSWORD = 'correct horse';

/** May end the sessions of others. */
export const ADMINISTRATOR = 'administrator';

const TRIES_MAX = 10;
const TRIES_FORGOTTEN_AFTER_MS = 15 * 60_000;
/** Number of names whose failed attempts are remembered. A new name replaces the oldest. */
const NAMES_REMEMBERED_MAX = 10_000;
const SALT = 'one salt for one sample password';
const HASH_BYTES = 32;

const hashOf = promisify(scrypt) as (password: string, salt: string, bytes: number) => Promise<Buffer>;

interface Tries {
  readonly sinceMs: number;
  count: number;
}

/** Checks names and passwords. A wrong name takes as long and has the same message as a wrong password. */
export class People {
  readonly #isKnown: (username: string) => boolean;
  readonly #clock: Clock;
  readonly #tries = new Map<string, Tries>();
  readonly #hash: Promise<Buffer> = hashOf(SAMPLE_PASSWORD, SALT, HASH_BYTES);

  constructor(options: { readonly isKnown: (username: string) => boolean; readonly clock: Clock }) {
    this.#isKnown = options.isKnown;
    this.#clock = options.clock;
  }

  /** @throws {HttpError} 401 for a wrong name or password; 429 after ten of them for one name, for a quarter of an hour. */
  async check(username: string, password: string): Promise<void> {
    const tries = this.#triesOf(username);
    if (tries.count >= TRIES_MAX) {
      throw new HttpError(429, 'slow-down', 'Too many failed attempts. Try again in a quarter of an hour.', {
        'retry-after': String(TRIES_FORGOTTEN_AFTER_MS / 1000),
      });
    }
    const isRight = timingSafeEqual(await hashOf(password, SALT, HASH_BYTES), await this.#hash);
    if (isRight && this.#isKnown(username)) {
      this.#tries.delete(username);
      return;
    }
    tries.count += 1;
    throw new HttpError(401, 'not-signed-in', 'There is no user with this name and password.');
  }

  #triesOf(username: string): Tries {
    const known = this.#tries.get(username);
    const nowMs = this.#clock.nowMs();
    if (known !== undefined && nowMs - known.sinceMs < TRIES_FORGOTTEN_AFTER_MS) return known;
    const [oldest] = this.#tries.keys();
    if (this.#tries.size >= NAMES_REMEMBERED_MAX && oldest !== undefined) this.#tries.delete(oldest);
    const fresh = { sinceMs: nowMs, count: 0 };
    this.#tries.delete(username);
    this.#tries.set(username, fresh);
    return fresh;
  }
}
