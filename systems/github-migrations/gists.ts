import type { Cursor, ReadOptions } from '@singlet/model';
import type { Organization, PageRequest, User } from '../github/connection.ts';
import { type Account } from '../github/accounts.ts';
import { inspectKsuid } from '../ksuid.ts';
import type { Gist, MigratedConnection } from './connection.ts';
import { refusing } from './errors.ts';

/** The input for creating a gist. */
export interface NewGist {
  readonly title: string;
  /** By name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A gist by its address: its user's name and its id. */
export interface GistName {
  readonly username: string;
  readonly gistId: string;
}

/** Gists: small shared snippets of users. */
export class Gists {
  readonly #connection: MigratedConnection;

  constructor(connection: MigratedConnection) {
    this.#connection = connection;
  }

  /**
   * @param gistId - a KSUID, which has the time; a new one if omitted.
   * @throws {GitHubError} `NotFound` if the user does not exist: organizations own no gists; `AlreadyExists` if the id is taken.
   */
  async create(
    username: string,
    { title, files = {} }: NewGist,
    gistId: string = this.#connection.newGistId(),
  ): Promise<Gist> {
    const { db } = this.#connection;
    const createdAt = inspectKsuid(gistId).time.toISOString();
    const gist = { username, gistId, title, files, createdAt, updatedAt: createdAt };
    await refusing(db.createGist({ gist, user: { name: username } }));
    return gist;
  }

  async find({ username, gistId }: GistName, options: ReadOptions = {}): Promise<Gist | undefined> {
    return await this.#connection.db.gist({ username, gistId }, options);
  }

  /** Sets the given attributes, and the time of the update. @throws {GitHubError} `NotFound` */
  async update({ username, gistId }: GistName, changes: Partial<NewGist>): Promise<Gist> {
    const { db, now } = this.#connection;
    return await refusing(db.updateGist({ username, gistId, updatedAt: now(), ...changes }));
  }

  /** The user, on the first page, and the user's gists, the newest first. An organization is returned alone: it owns none. */
  async of(
    username: string,
    page: PageRequest = {},
  ): Promise<{ account: Account | undefined; gists: readonly Gist[]; cursor: Cursor | undefined }> {
    const { gists, cursor, ...found } = await this.#connection.db.userWithGists({ name: username }, page);
    return { account: accountOf(found), gists, cursor };
  }
}

/** The account, of either kind. */
export function accountOf(found: {
  readonly user?: User | undefined;
  readonly organization?: Organization | undefined;
}): Account | undefined {
  if (found.user !== undefined) {
    return { type: 'User', ...found.user };
  }
  return found.organization === undefined ? undefined : { type: 'Organization', ...found.organization };
}
