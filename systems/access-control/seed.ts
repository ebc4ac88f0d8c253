import { SeededRandom } from '../demo/seeded-random.ts';
import type { AccessDatabase, Policy } from './access.ts';
import { reasonOf } from './access.ts';

const MACHINES = ['excavators', 'cranes', 'loaders', 'graders', 'rollers', 'pavers', 'dozers', 'trucks'] as const;
const DEEDS = ['read', 'start', 'stop', 'move', 'service', 'lease', 'locate', 'update'] as const;
const TRADES = ['operator', 'mechanic', 'dispatcher', 'inspector', 'planner', 'trainer'] as const;
const FIRST = ['Ada', 'Ben', 'Carla', 'Diego', 'Emre', 'Fatou', 'Greta', 'Hana', 'Ivo', 'Jun'] as const;
const LAST = ['Abbott', 'Berg', 'Costa', 'Diallo', 'Endo', 'Fischer', 'Gupta', 'Haas', 'Ito', 'Jones'] as const;

export interface SeedCounts {
  readonly users: number;
  readonly roles: number;
  readonly policies: number;
  /** All items, links and copies included. */
  readonly items: number;
}

const CHUNK = 500;

/**
 * Writes a company: at scale 1, 10,000 users in 40 organisations, 200 roles and 500 policies; each user has one to three roles,
 * each role 5 to 15 policies. The same in every run.
 */
export async function seedAccessControl(db: AccessDatabase, scale = 1): Promise<SeedCounts> {
  const random = new SeededRandom(7);
  const scaled = (count: number, least: number): number => Math.max(least, Math.round(count * scale));
  const policies = Array.from({ length: scaled(500, 20) }, (_, i) => policyOf(`p${i + 1}`, random));
  const roles = Array.from({ length: scaled(200, 8) }, (_, i) => ({
    roleId: `r${i + 1}`,
    roleName: `${random.pick(TRADES)} of ${random.pick(MACHINES)}`,
    roleVersion: 1,
  }));
  const contained = new Map(roles.map(({ roleId }) => [roleId, several(policies, random.integer(5, 15), random)]));
  const users = Array.from({ length: scaled(10_000, 50) }, (_, i) => ({
    userId: `u${i + 1}`,
    userName: `${random.pick(FIRST)} ${random.pick(LAST)}`,
    orgId: `org:${random.integer(1, scaled(40, 4))}`,
  }));
  const links = roles.flatMap(({ roleId }) =>
    (contained.get(roleId) ?? []).map(({ policyId, policyName }) => ({
      roleId,
      policyId,
      policyName,
      policyVersion: 1,
    })),
  );
  let items = policies.length + roles.length + users.length + links.length;
  await db.seedPolicies(policies);
  await db.seedRoles(roles);
  await db.seedLinks(links);
  for (let at = 0; at < users.length; at += CHUNK) {
    const some = users.slice(at, at + CHUNK);
    const held = some.flatMap(({ userId }) =>
      several(roles, random.integer(1, 3), random).map((role) => ({ userId, ...role })),
    );
    const copies = copiesOf(held, contained);
    await db.seedUsers(some);
    await db.seedHoldings(held);
    await db.seedCopies(copies);
    items += held.length + copies.length;
  }
  return { users: users.length, roles: roles.length, policies: policies.length, items };
}

type Copy = Parameters<AccessDatabase['seedCopies']>[0][number];

/** The policies from the roles of users. A policy from two roles is one copy with two reasons. */
function copiesOf(
  held: readonly { readonly userId: string; readonly roleId: string }[],
  contained: ReadonlyMap<string, readonly Policy[]>,
): Copy[] {
  const copies = new Map<string, Copy>();
  for (const { userId, roleId } of held) {
    for (const { policyId, policyName, policy, policyVersion } of contained.get(roleId) ?? []) {
      const key = `${userId} ${policyId}`;
      const viaRoles = new Set([...(copies.get(key)?.viaRoles ?? []), reasonOf(roleId)]);
      copies.set(key, { userId, policyId, policyName, policy, policyVersion, viaRoles });
    }
  }
  return [...copies.values()];
}

function policyOf(policyId: string, random: SeededRandom): Policy {
  const machine = random.pick(MACHINES);
  const deed = random.pick(DEEDS);
  const effect = random.chance(0.1) ? 'Deny' : 'Allow';
  return {
    policyId,
    policyName: `${effect === 'Deny' ? 'Never' : 'May'} ${deed} ${machine} (${policyId})`,
    policy: {
      statements: [{ effect, actions: [`${machine}:${deed}`], resources: [`site-${random.integer(1, 40)}/*`] }],
    },
    policyVersion: 1,
  };
}

function several<T>(all: readonly T[], count: number, random: SeededRandom): T[] {
  const left = [...all];
  return Array.from({ length: Math.min(count, all.length) }, () =>
    left.splice(random.integer(0, left.length - 1), 1),
  ).flat();
}
