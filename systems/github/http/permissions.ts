import { HttpError } from '../../http/http-error.ts';
import type { GitHub } from '../github.ts';
import { found } from './found.ts';

// Who may write what. Anyone who is signed in may open, comment, react, star and fork. What changes a thing of others asks here first:
// none or one read for one's own things, one read of a user for those of an organization.

/**
 * For what only the owner of a repository does. The members of an organization act for it.
 *
 * @throws {HttpError} 403
 */
export async function mustActFor({ accounts }: GitHub, person: string, owner: string): Promise<void> {
  if (person === owner || (await roleIn(accounts, person, owner)) !== undefined) return;
  throw new HttpError(403, 'not-yours', onlyFor(owner));
}

/**
 * Whether a page shows a form that only the owner of something may send: to the owner, and to a visitor who says that they are a member
 * of the organization and is one. That takes a read of the user, which no other visitor of the page pays.
 *
 * @param says - whether the visitor says so.
 * @returns `undefined` if that is not known, since the visitor has not said so.
 */
export async function mayUse(
  { accounts }: Pick<GitHub, 'accounts'>,
  person: string,
  { owners, says }: { readonly owners: readonly [owner: string, ...others: string[]]; readonly says: boolean },
): Promise<boolean | undefined> {
  if (owners.includes(person)) return true;
  return says ? (await roleIn(accounts, person, owners[0])) !== undefined : undefined;
}

export function onlyFor(owner: string): string {
  return `Only ${owner}, or a member if it is an organization, may do this.`;
}

/**
 * For closing and reopening: the author may, and who acts for the owner of the repository.
 *
 * @throws {HttpError} 403
 */
export async function mustModerate(
  site: GitHub,
  person: string,
  { author, owner }: { readonly author: string; readonly owner: string },
): Promise<void> {
  if (person !== author) await mustActFor(site, person, owner);
}

/**
 * For the plan and the members of an account: the user, or an admin of the organization.
 *
 * @throws {HttpError} 403; 404 if there is no such organization
 */
export async function mustAdminister({ accounts }: GitHub, person: string, name: string): Promise<void> {
  if (person === name || (await roleIn(accounts, person, name)) === 'Admin') return;
  found(await accounts.find(name), 'account');
  throw new HttpError(403, 'not-yours', `Only ${name}, or an admin if it is an organization, may do this.`);
}

async function roleIn(accounts: GitHub['accounts'], person: string, name: string): Promise<string | undefined> {
  const organizations = (await accounts.organizationsOf(person)) ?? {};
  return Object.hasOwn(organizations, name) ? organizations[name] : undefined;
}
