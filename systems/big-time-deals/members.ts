import type { ReadOptions } from '@singlet/model';
import { isoSeconds, epochSecondsOf } from '../clock.ts';
import type { Connection, User } from './connection.ts';
import { found, obeyed } from './errors.ts';

export type Profile = Pick<User, 'email' | 'birthday' | 'profilePictureUrl'>;
/** Settings to change. Omitted ones stay, undefined ones are removed. An e-mail address cannot be removed. */
export type ProfileChange = { readonly [Name in keyof Profile]?: Profile[Name] | undefined };

/** Users, and what they like and watch. */
export class Members {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** BTD-13. @throws {RefusedError} `already-exists`; the existing user does not change. */
  async signUp(user: Profile & { readonly username: string }): Promise<User> {
    return await obeyed(this.#connection.db.createUser({ ...user, createdAt: this.#now() }));
  }

  /** BTD-14. @throws {RefusedError} `already-done`; `not-found` */
  async likeBrand(username: string, brand: string): Promise<void> {
    await obeyed(this.#connection.db.likeBrand({ username, brand, createdAt: this.#now() }), 'already-done');
  }

  /** BTD-15. @throws {RefusedError} `already-done`; `not-found` */
  async watchBrand(username: string, brand: string): Promise<void> {
    await obeyed(this.#connection.db.watchBrand({ username, brand, createdAt: this.#now() }), 'already-done');
  }

  /** BTD-16. @throws {RefusedError} `already-done`; `not-found` */
  async likeCategory(username: string, category: string): Promise<void> {
    await obeyed(this.#connection.db.likeCategory({ username, category, createdAt: this.#now() }), 'already-done');
  }

  /** BTD-17. @throws {RefusedError} `already-done`; `not-found` */
  async watchCategory(username: string, category: string): Promise<void> {
    await obeyed(this.#connection.db.watchCategory({ username, category, createdAt: this.#now() }), 'already-done');
  }

  /** BTD-27. @throws {RefusedError} `not-found` */
  async settings(username: string, options: ReadOptions = {}): Promise<User> {
    return found(await this.#connection.db.user({ username }, options), 'User');
  }

  /** BTD-27. @throws {RefusedError} `not-found` */
  async changeSettings(username: string, change: ProfileChange): Promise<User> {
    const { email, ...rest } = change;
    // Removable settings accept undefined. The types of the model leave that to its schemas.
    const changes = { ...rest, ...(email !== undefined && { email }) } as Partial<Profile>;
    return await obeyed(this.#connection.db.updateUser({ username, ...changes }));
  }

  #now(): string {
    return isoSeconds(epochSecondsOf(this.#connection.clock));
  }
}
