import { z } from 'zod';
import { HttpError } from '../../http/http-error.ts';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, live, picture } from '../../http/page-frame.ts';
import { type Action, action, type Refused, type Screen, screen } from '../../http/screens.ts';
import { collect, type Job, type Policy } from '../access.ts';
import { decide } from '../decide.ts';
import { detachPolicy, renameRole, revokeRole } from '../grants.ts';
import { existing, type Gatehouse, JOB_STATES } from './gatehouse.ts';
import { changed, id, mode, policyDocument, text } from './routes.ts';

export interface PagesOptions {
  readonly house: Gatehouse;
  /** The starting points: the model has no list of all roles, policies or organisations. */
  readonly samples: Readonly<Record<'users' | 'roles' | 'policies' | 'orgs', readonly string[]>>;
}

/** More copies than this are counted, not drawn. */
const COPIES_DRAWN_MAX = 400;
const DOCUMENT_LENGTH_MAX = 5000;

const still = z.object({ still: z.string().optional() });

/** The screens: ask, people, a person, a role, a policy, the queue. */
export function screensOf(options: PagesOptions): readonly Screen[] {
  return [
    askScreen(options),
    ...peopleScreens(options),
    roleScreen(options),
    policyScreen(options),
    queueScreen(options),
  ];
}

function askScreen({ house: { access }, samples }: PagesOptions): Screen {
  return screen({
    path: '/',
    serves: ['AC-13'],
    query: z.object({ user: id.optional(), action: text.optional(), resource: text.optional() }),
    show: async ({ query: { user, action: deed, resource } }) => {
      const asked = user !== undefined && deed !== undefined && resource !== undefined;
      const decision = asked ? await decide(access, { userId: user, action: deed, resource }) : undefined;
      return {
        title: 'May they?',
        teaches:
          'A decision is one query of one partition, however many roles there are: each user has a copy of each policy that applies. The price is paid when a policy changes, and is seen on its page.',
        main: html`<form method="get" action="/" aria-label="Ask" class="ask">
            ${field('user', 'User', { value: user ?? samples.users[0] ?? '' })}${field('action', 'Action', {
              value: deed ?? 'cranes:start',
            })}${field('resource', 'Resource', { value: resource ?? 'site-1/crane-4' })}<button>Ask</button>
          </form>
          ${decision !== undefined && verdict(decision)}
          <h2>To look at</h2>
          ${linksTo('Policies', '/policies/', samples.policies)} ${linksTo('Roles', '/roles/', samples.roles)}
          ${linksTo('Organisations', '/people?org=', samples.orgs)}
          <p class="small">
            These are of the sample. There is no list of all of them: nothing that this application does needs one.
          </p>`,
      };
    },
  });
}

function peopleScreens({ house, samples }: PagesOptions): readonly Screen[] {
  const { access } = house;
  return [
    screen({
      path: '/people',
      serves: ['AC-3'],
      query: z.object({ org: id.optional(), cursor: z.string().max(2000).optional() }),
      show: async ({ query: { org = samples.orgs[0] ?? '1', cursor } }) => {
        const page = await house.page(
          ['users', org],
          cursor,
          async (at) => await access.db.usersOfOrganisation({ orgId: `org:${org}` }, { cursor: at }),
        );
        return {
          title: `Organisation ${org}`,
          teaches: 'The people of an organisation are one partition of the index, in the order of their ids.',
          main: html`<ul class="rows">
              ${page.items.map(
                ({ userId, userName }) =>
                  html`<li>
                    ${picture('face', userId, 32)}<a class="grow" href="/people/${userId}">${userName}</a
                    ><span class="mono">${userId}</span>
                  </li>`,
              )}
            </ul>
            ${page.cursor !== undefined && html`<a class="button second" href="/people?${new URLSearchParams({ org, cursor: page.cursor }).toString()}">Further people</a>`}`,
        };
      },
    }),
    screen({
      path: '/people/{userId}',
      serves: ['AC-8'],
      show: async ({ path: { userId }, refused }) => {
        const found = await access.db.userAggregate({ userId: idOf(userId) });
        const { userName, orgId } = existing(found.user, 'user');
        return {
          title: userName,
          teaches:
            'The person, the roles and the copies of the policies are one partition, read backwards by one query: the person first.',
          main: html`<p class="inline">
              ${picture('face', userId, 56)}<span class="mono">${userId}</span
              ><a href="/people?org=${encodeURIComponent(orgId.slice('org:'.length))}">${orgId}</a>
            </p>
            <div class="columns">
              <section>
                <h2>Policies</h2>
                <ul class="rows">
                  ${found.policies.map(
                    ({ policyId, policyName, policyVersion, viaRoles }) =>
                      html`<li>
                        <span class="grow"
                          ><a href="/policies/${policyId}">${policyName}</a><br /><small
                            >because of ${[...viaRoles].join(', ')}</small
                          ></span
                        ><span class="mono">v${policyVersion}</span>
                      </li>`,
                  )}
                </ul>
              </section>
              <section>
                <h2>Roles</h2>
                <ul class="rows">
                  ${found.roles.map(
                    ({ roleId, roleName }) =>
                      html`<li>
                        <a class="grow" href="/roles/${roleId}">${roleName}</a>${form(
                          `/people/${userId}/revoke`,
                          html`<input type="hidden" name="roleId" value="${roleId}" /><button
                              class="second"
                              aria-label="Take ${roleName}"
                            >
                              Take
                            </button>`,
                        )}
                      </li>`,
                  )}
                </ul>
                ${form(`/people/${userId}/assign`, html`${field('roleId', 'Another role', { refused, hint: 'such as r3' })}<button>Give</button>`, 'Give a role')}
              </section>
            </div>`,
        };
      },
    }),
  ];
}

function roleScreen({ house: { access } }: PagesOptions): Screen {
  return screen({
    path: '/roles/{roleId}',
    serves: ['AC-5', 'AC-2', 'AC-9'],
    show: async ({ path, refused }) => {
      const roleId = idOf(path.roleId);
      const [found, policies, holders] = await Promise.all([
        access.db.role({ roleId }),
        collect(access.db.policiesOfRole.each({ roleId })),
        access.db.holdersOfRole({ roleId }),
      ]);
      const { roleName, roleVersion } = existing(found, 'role');
      return {
        title: roleName,
        teaches:
          'A policy that is attached is written to the role in one transaction with a job; the job gives it to the holders, page by page, and looks at both edges again before each copy.',
        main: html`<p><span class="mono">${roleId}</span>, version ${roleVersion}</p>
          <div class="columns">
            <section>
              <h2>Policies</h2>
              <ul class="rows">
                ${policies.map(
                  ({ policyId, policyName, policyVersion }) =>
                    html`<li>
                      <a class="grow" href="/policies/${policyId}">${policyName}</a
                      ><span class="mono">v${policyVersion}</span>${form(
                        `/roles/${roleId}/detach`,
                        html`<input type="hidden" name="policyId" value="${policyId}" /><button
                            class="second"
                            aria-label="Detach ${policyName}"
                          >
                            Detach
                          </button>`,
                      )}
                    </li>`,
                )}
              </ul>
            </section>
            <section>
              <h2>Change it</h2>
              ${form(`/roles/${roleId}/attach`, html`${field('policyId', 'Another policy', { refused, hint: 'such as p3' })}<button>Attach</button>`, 'Attach a policy')}
              <p></p>
              ${form(`/roles/${roleId}/rename`, html`${field('roleName', 'Name', { refused, value: roleName })}<button class="second">Rename</button>`, 'Rename')}
              <h2>Holders</h2>
              <p class="links">
                ${holders.items.map(({ userId }) => html`<a class="mono" href="/people/${userId}">${userId}</a> `)}
                ${holders.cursor !== undefined && 'and more'}
              </p>
            </section>
          </div>`,
      };
    },
  });
}

function policyScreen({ house }: PagesOptions): Screen {
  const { access } = house;
  return screen({
    path: '/policies/{policyId}',
    serves: ['AC-4', 'AC-10', 'AC-11'],
    query: still,
    show: async ({ path, query, refused }) => {
      const policyId = idOf(path.policyId);
      const [found, copies, links] = await Promise.all([
        access.db.policy({ policyId }),
        collect(access.db.copiesOfPolicy.each({ policyId })),
        collect(access.db.rolesWithPolicy.each({ policyId })),
      ]);
      const policy = existing(found, 'policy');
      return {
        title: policy.policyName,
        teaches:
          'At once, the policy and all its copies are one transaction, up to a hundred items at twice the price of a write. By the queue, the policy is one write; its copies follow, and a decision may be by the version before until they have.',
        main: html`${live('copies', matrix(policy, copies, links), { still: query.still !== undefined })}
          <h2>Change it</h2>
          ${changeForm(policy, refused)}`,
      };
    },
  });
}

interface Copied {
  readonly policyVersion: number;
}

/** A cell for each copy, with its version. */
function matrix(
  { policyId, policyVersion, policy }: Policy,
  copies: readonly (Copied & { readonly userId: string })[],
  links: readonly (Copied & { readonly roleId: string })[],
): Markup {
  const all = [...copies, ...links];
  const fresh = all.filter((each) => each.policyVersion === policyVersion).length;
  const cell = (name: string, to: string, version: number): Markup =>
    html`<li class="${version === policyVersion ? 'fresh' : 'old'}">
      <a href="${to}">${name} <b>v${version}</b></a>
    </li>`;
  return html`<p><span class="mono">${policyId}</span>, version ${policyVersion}</p>
    <ul>
      ${policy.statements.map(({ effect, actions, resources }) => html`<li>${effect} ${actions.join(', ')} on ${resources.join(', ')}</li>`)}
    </ul>
    <h2>Copies</h2>
    <p role="status">${fresh} of ${all.length} copies are at version ${policyVersion}.</p>
    <progress
      max="${Math.max(1, all.length)}"
      value="${fresh}"
      aria-label="Copies at version ${policyVersion}"
    ></progress>
    <ul class="cells">
      ${links.map(({ roleId, policyVersion: of }) => cell(roleId, `/roles/${roleId}`, of))}
      ${copies.slice(0, COPIES_DRAWN_MAX).map(({ userId, policyVersion: of }) => cell(userId, `/people/${userId}`, of))}
    </ul>
    ${copies.length > COPIES_DRAWN_MAX && html`<p>and ${copies.length - COPIES_DRAWN_MAX} more</p>`}`;
}

function changeForm({ policyId, policy, policyVersion }: Policy, refused: Refused | undefined): Markup {
  return form(
    `/policies/${policyId}/change`,
    html`<input type="hidden" name="version" value="${policyVersion}" />${field('document', 'Statements', {
        refused,
        rows: 12,
        value: JSON.stringify(policy, undefined, 2),
      })}${field('mode', 'With its copies', {
        refused,
        choices: [
          ['queued', 'by the queue'],
          ['immediate', 'at once'],
          ['auto', 'at once where they are few'],
        ],
      })}<button>Change the policy</button>`,
    'Change the policy',
  );
}

function queueScreen({ house }: PagesOptions): Screen {
  return screen({
    path: '/queue',
    serves: ['AC-14', 'AC-16'],
    query: still,
    show: async ({ query }) => {
      const [due, lapsed, dead] = await Promise.all(JOB_STATES.map(async (state) => await house.jobs(state)));
      const { isOn } = house.worker;
      return {
        title: 'Queue',
        teaches:
          'A job is an item. While it waits, runs or is dead it is in one of three sets of eight partitions, in the order of time, so that workers find what is due and what a dead worker has left.',
        main: html`<div class="inline">
            ${form('/worker', html`<input type="hidden" name="is" value="${isOn ? 'off' : 'on'}" /><button>${isOn ? 'Stop the worker' : 'Let the worker work'}</button>`)}<span
              class="state ${isOn ? 'full' : 'gone'}"
              >${isOn ? 'Works' : 'Stopped'}</span
            >
          </div>
          ${live(
            'queue',
            html`<div class="columns three">
              <section>
                <h2>Due</h2>
                ${jobList(due ?? [])}
              </section>
              <section>
                <h2>Left by a worker</h2>
                ${jobList(lapsed ?? [])}
              </section>
              <section>
                <h2>Dead</h2>
                ${jobList(dead ?? [])}
              </section>
            </div>`,
            { still: query.still !== undefined },
          )}`,
      };
    },
  });
}

/** What the forms do. */
export function actionsOf({ house }: PagesOptions): readonly Action[] {
  const { access } = house;
  const role = z.object({ roleId: id });
  const policy = z.object({ policyId: id });
  return [
    action({
      path: '/people/{userId}/assign',
      of: '/people/{userId}',
      form: role,
      act: async ({ path: { userId }, form: { roleId } }) => {
        await house.assignRole({ userId, roleId });
        return { to: `/people/${userId}` };
      },
    }),
    action({
      path: '/people/{userId}/revoke',
      of: '/people/{userId}',
      form: role,
      act: async ({ path: { userId }, form: { roleId } }) => {
        await revokeRole(access, { userId, roleId });
        return { to: `/people/${userId}` };
      },
    }),
    action({
      path: '/roles/{roleId}/attach',
      of: '/roles/{roleId}',
      form: policy,
      act: async ({ path: { roleId }, form: { policyId } }) => {
        await house.attachPolicy({ roleId, policyId });
        return { to: `/roles/${roleId}` };
      },
    }),
    action({
      path: '/roles/{roleId}/detach',
      of: '/roles/{roleId}',
      form: policy,
      act: async ({ path: { roleId }, form: { policyId } }) => {
        await detachPolicy(access, { roleId, policyId });
        return { to: `/roles/${roleId}` };
      },
    }),
    action({
      path: '/roles/{roleId}/rename',
      of: '/roles/{roleId}',
      form: z.object({ roleName: text }),
      act: async ({ path: { roleId }, form: { roleName } }) => {
        await renameRole(access, { roleId, roleName });
        return { to: `/roles/${roleId}` };
      },
    }),
    action({
      path: '/policies/{policyId}/change',
      of: '/policies/{policyId}',
      form: z.object({
        document: z.string().max(DOCUMENT_LENGTH_MAX),
        version: z.coerce.number().int().min(1),
        mode,
      }),
      act: async ({ path: { policyId }, form: wanted }) => {
        await changed(house, { policyId, ...wanted, document: documentOf(wanted.document) });
        return { to: `/policies/${policyId}` };
      },
    }),
    action({
      path: '/worker',
      of: '/queue',
      form: z.object({ is: z.enum(['on', 'off']) }),
      act: async ({ form: { is } }) => {
        house.worker.isOn = is === 'on';
        return await Promise.resolve({ to: '/queue' });
      },
    }),
    action({
      path: '/jobs/redrive',
      of: '/queue',
      form: z.object({ jobId: z.string().min(1).max(300) }),
      act: async ({ form: { jobId } }) => {
        await house.queue.redrive(jobId);
        return { to: '/queue' };
      },
    }),
  ];
}

/** @throws {HttpError} 422 for a text that is not a valid policy. */
function documentOf(json: string): z.output<typeof policyDocument> {
  let detail = 'has to be JSON';
  try {
    const { data, error } = policyDocument.safeParse(JSON.parse(json));
    if (data !== undefined) return data;
    detail = `has a fault at ${error.issues[0]?.path.join('.') ?? 'its root'}`;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new HttpError(422, 'invalid', `The document ${detail}.`, {}, [{ field: 'document', detail }]);
}

function verdict({ allowed, by }: { readonly allowed: boolean; readonly by: readonly string[] }): Markup {
  return html`<div class="verdict" role="status">
    <p class="figure">${allowed ? 'YES' : 'NO'}</p>
    <p>${by.length === 0 ? 'No policy says so.' : `By ${by.join(', ')}.`}</p>
  </div>`;
}

function linksTo(label: string, to: string, ids: readonly string[]): Markup {
  return html`<p class="links">
    <span>${label}:</span>
    ${ids.map((each) => html`<a class="mono" href="${to}${encodeURIComponent(each)}">${each}</a> `)}
  </p>`;
}

function jobList(jobs: readonly Job[]): Markup {
  if (jobs.length === 0) return html`<p>None.</p>`;
  return html`<ul class="rows">
    ${jobs.map(
      ({ jobId, jobType, targetId, status, attempts, lastError }) =>
        html`<li>
          <span class="grow"
            >${jobType.toLowerCase().replace('_', ' ')} <b>${targetId}</b><br /><small
              >attempt ${attempts}${lastError !== undefined && `, ${lastError}`}</small
            ></span
          >${
            status === 'dead' &&
            form(
              '/jobs/redrive',
              html`<input type="hidden" name="jobId" value="${jobId}" /><button class="second">Try again</button>`,
            )
          }
        </li>`,
    )}
  </ul>`;
}

/** An id from an address. @throws {HttpError} 404 for an impossible one. */
function idOf(given: string): string {
  return existing(id.safeParse(given).data, 'thing');
}
