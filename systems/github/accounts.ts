import type { Cursor, ReadOptions } from '@singlet/model';
import type { Connection, Membership, Organization, PageRequest, PaymentPlan, Repo, Role, User } from './connection.ts';
import { forEither, GitHubError, refusing } from './errors.ts';

/** A user or an organization: they share one namespace. */
export type Account = ({ readonly type: 'User' } & User) | ({ readonly type: 'Organization' } & Organization);

/** Users and organizations, memberships, and the repos that they own. */
export class Accounts {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * @param createdAt - now by default.
   * @throws {GitHubError} `AlreadyExists`, also if an organization has the name.
   */
  async createUser(name: string, createdAt: string = this.#connection.now()): Promise<User> {
    return await refusing(this.#connection.db.createUser({ name, createdAt }));
  }

  /** @throws {GitHubError} `AlreadyExists`, also if a user has the name. */
  async createOrganization(name: string): Promise<Organization> {
    const { db, now } = this.#connection;
    return await refusing(db.createOrganization({ name, createdAt: now() }));
  }

  /**
   * Creates an organization with its first admin: both or neither.
   *
   * @param createdAt - now by default.
   * @throws {GitHubError} `AlreadyExists`, also if a user has the name; `NotFound` if the admin is missing or no user; `LimitExceeded` if
   *   the admin is in as many organizations as fit on a user.
   */
  async foundOrganization(
    name: string,
    admin: string,
    createdAt: string = this.#connection.now(),
  ): Promise<Organization> {
    if (name === admin) {
      throw new GitHubError('AlreadyExists', 'Organization'); // one name is one account
    }
    const role: Role = 'Admin';
    const organization = { name, createdAt };
    await refusing(
      this.#connection.db.foundOrganization({
        organization,
        membership: { organization: name, username: admin, role, createdAt },
        user: { name: admin, organization: name, role },
      }),
    );
    return organization;
  }

  async find(name: string, options: ReadOptions = {}): Promise<Account | undefined> {
    return accountOf(await this.#connection.db.account({ name }, options));
  }

  /**
   * Makes a user a member of an organization.
   *
   * @throws {GitHubError} `AlreadyDone`; `NotFound` if either is missing or an account of the other kind;
   *   `LimitExceeded` if the user is in as many organizations as fit on a user.
   */
  async addMember(member: { organization: string; username: string; role: Role }): Promise<void> {
    const { organization, username, role } = member;
    if (organization === username) {
      throw new GitHubError('NotFound', 'Organization'); // one name is one account, of one kind
    }
    const { db, now } = this.#connection;
    await refusing(
      db.addMember({
        membership: { organization, username, role, createdAt: now() },
        user: { name: username, organization, role },
        organization: { name: organization },
      }),
    );
  }

  /** The organization, on the first page, and its members by name. */
  async membersOf(
    name: string,
    page: PageRequest = {},
  ): Promise<{
    organization: Organization | undefined;
    memberships: readonly Membership[];
    cursor: Cursor | undefined;
  }> {
    const { organization, memberships, cursor } = await this.#connection.db.membersOfOrganization({ name }, page);
    return { organization, memberships, cursor };
  }

  /**
   * The organizations of a user, with the user's role in each.
   *
   * @returns `undefined` if the user does not exist.
   */
  async organizationsOf(username: string): Promise<Readonly<Record<string, Role>> | undefined> {
    const { user } = await this.#connection.db.organizationsOfUser({ name: username });
    return user?.organizations;
  }

  /** @throws {GitHubError} `NotFound` if no account has that name. */
  async setPaymentPlan(name: string, paymentPlan: PaymentPlan): Promise<void> {
    const { db } = this.#connection;
    await forEither(
      async () => refusing(db.setPaymentPlan({ name, paymentPlan })),
      async () => refusing(db.setOrganizationPaymentPlan({ name, paymentPlan })),
    );
  }

  /** The account, on the first page, and its repos, the most recently updated first. */
  async reposOf(name: string, page: PageRequest = {}): Promise<AccountWithRepos> {
    const found = await this.#connection.db.reposOfUser({ name }, page);
    return { account: accountOf(found), repos: found.repos, cursor: found.cursor };
  }

  /** The same for callers that know that it is an organization. */
  async reposOfOrganization(name: string, page: PageRequest = {}): Promise<AccountWithRepos> {
    const found = await this.#connection.db.reposOfOrganization({ name }, page);
    return { account: accountOf(found), repos: found.repos, cursor: found.cursor };
  }
}

export interface AccountWithRepos {
  readonly account: Account | undefined;
  readonly repos: readonly Repo[];
  readonly cursor: Cursor | undefined;
}

function accountOf(found: {
  readonly user?: User | undefined;
  readonly organization?: Organization | undefined;
}): Account | undefined {
  if (found.user !== undefined) {
    return { type: 'User', ...found.user };
  }
  return found.organization === undefined ? undefined : { type: 'Organization', ...found.organization };
}
