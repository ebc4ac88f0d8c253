import { type ApplicationLoad, LoadError, type LoadSite, type OpenLoad, type StoredItem } from '../../http/load.ts';
import { grouped, lackedBy } from '../../http/stored-items.ts';

const USERS = 40;
const ROLES = 8;
const POLICIES = 20;

/** Guards ask who may do what, while officers assign and revoke roles, and change policies. */
export const load: ApplicationLoad = {
  holds: 'every user has a copy of each policy of each role, and none else, in its latest version',
  open: async (site) => {
    if (site.scale === 0) throw new LoadError('The application has no sample data: start it with a --scale above 0');
    return await Promise.resolve({ actions: actionsOf(site), faultsIn });
  },
};

function actionsOf(site: LoadSite): OpenLoad['actions'] {
  const named = (letter: string, most: number): string => `${letter}${site.random.integer(1, most)}`;
  const user = (): string => named('u', USERS);
  const role = (): string => named('r', ROLES);
  const policy = (): string => named('p', POLICIES);
  const get = async (path: string): Promise<Response> => await site.ask('GET', path);
  return [
    {
      name: 'decision',
      weight: 50,
      act: async () => {
        const body = { userId: user(), action: 'cranes:read', resource: `site-${site.random.integer(1, 40)}/crane` };
        return await site.ask('POST', '/decisions', { body });
      },
    },
    { name: 'user with roles and policies', weight: 15, act: async () => await get(`/users/${user()}/all`) },
    { name: 'roles of a user', weight: 8, act: async () => await get(`/users/${user()}/roles`) },
    { name: 'policies of a role', weight: 8, act: async () => await get(`/roles/${role()}/policies`) },
    { name: 'copies of a policy', weight: 5, act: async () => await get(`/policies/${policy()}/copies`) },
    {
      name: 'assign a role',
      weight: 5,
      allows: [409], // the user has it
      act: async () => await site.ask('PUT', `/users/${user()}/roles/${role()}`),
    },
    {
      name: 'revoke a role',
      weight: 5,
      allows: [404], // the user does not have it
      act: async () => await site.ask('DELETE', `/users/${user()}/roles/${role()}`),
    },
    {
      name: 'change a policy',
      weight: 2,
      allows: [409], // another officer was faster
      act: async () => {
        const policyId = policy();
        const { policyVersion, document } = await site.read<{ policyVersion: number; document: object }>(
          `/policies/${policyId}`,
        );
        return await site.ask('PUT', `/policies/${policyId}`, { body: { document, version: policyVersion } });
      },
    },
    {
      name: 'attach a policy',
      weight: 1,
      allows: [409],
      act: async () => await site.ask('PUT', `/roles/${role()}/policies/${policy()}`),
    },
    {
      name: 'detach a policy',
      weight: 1,
      allows: [404],
      act: async () => await site.ask('DELETE', `/roles/${role()}/policies/${policy()}`),
    },
  ];
}

function faultsIn(items: readonly StoredItem[]): readonly string[] {
  const of = (type: string): readonly StoredItem[] => items.filter((item) => item['type'] === type);
  const links = grouped(of('RolePolicy'), ({ roleId }) => String(roleId));
  const expected = of('UserRole').flatMap(({ userId, roleId }) =>
    (links.get(String(roleId)) ?? []).map(({ policyId }) => `${String(userId)} ${String(policyId)}`),
  );
  const copies = of('UserPolicy');
  const found = copies.map(({ userId, policyId }) => `${String(userId)} ${String(policyId)}`);
  const versions = new Map(of('Policy').map(({ policyId, policyVersion }) => [policyId, policyVersion]));
  return [
    ...new Set(lackedBy(found, expected).map((copy) => `there is no copy: ${copy}`)),
    ...lackedBy(expected, found).map((copy) => `no role brings the copy: ${copy}`),
    ...copies
      .filter(({ policyId, policyVersion }) => versions.get(policyId) !== policyVersion)
      .map(({ userId, policyId }) => `the copy is of an earlier version: ${String(userId)} ${String(policyId)}`),
  ];
}
