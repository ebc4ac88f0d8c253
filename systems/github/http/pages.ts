import { z } from 'zod';
import { HttpError } from '../../http/http-error.ts';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, picture } from '../../http/page-frame.ts';
import { type Action, action, type Refused, type Screen, screen } from '../../http/screens.ts';
import type { Account } from '../accounts.ts';
import type { Membership } from '../connection.ts';
import { accountPath, cursorOf, dayOf, more, paged, repoList, repoPath } from './views.ts';
import { discussionActions, discussionScreens } from './discussion-pages.ts';
import { found } from './found.ts';
import { mustActFor, mustAdminister } from './permissions.ts';
import type { PagesOptions, Tab } from './pages-options.ts';
import { repositoryActions, repositoryScreens } from './repository-pages.ts';
import { bodies } from './schemas.ts';

const newAccount = bodies.NewAccount;
const newRepo = z.object({ ...bodies.NewRepository.shape, owner: bodies.NewAccount.shape.login });
const newMember = z.object({ username: bodies.NewAccount.shape.login, role: z.enum(['Member', 'Admin']) });
const newPlan = bodies.Plan;
const PLANS = newPlan.shape.name.options;

/** The screens: where to begin, accounts, repositories with their lists, issues and pull requests. */
export function screensOf(options: PagesOptions): readonly Screen[] {
  return [...accountScreens(options), ...repositoryScreens(options), ...discussionScreens(options)];
}

/** What the forms do. */
export function actionsOf(options: PagesOptions): readonly Action[] {
  return [...accountActions(options), ...repositoryActions(options), ...discussionActions(options)];
}

function accountScreens({ site, samples, start, additions }: PagesOptions): readonly Screen[] {
  const { accounts, repos } = site;
  return [
    screen({
      path: start,
      serves: ['GH-02'],
      show: async ({ refused }) => {
        const shown = (await Promise.all(samples.repos.map(async (name) => await repos.find(name)))).flatMap(
          (repo) => repo ?? [],
        );
        return {
          title: 'Explore',
          teaches:
            'No pattern lists all repositories, so each of these is a request of its own. Its counts of stars, forks and open issues are stored with it: nothing is counted when it is read.',
          main: html`<div class="columns">
            <section aria-label="Repositories">${repoList(shown)}</section>
            <section aria-label="Accounts">
              ${form('/find', html`${field('login', 'User or organization', { refused })}<button class="second">Look up</button>`, 'Look up')}
              <ul class="rows">
                ${samples.people.map((name) => html`<li>${picture('face', name, 30)}<a class="grow" href="${accountPath(name)}">${name}</a></li>`)}
              </ul>
            </section>
          </div>`,
        };
      },
    }),
    screen({
      path: '/accounts/{name}',
      serves: ['GH-23', 'GH-24'],
      query: paged,
      show: async ({ path: { name }, query, person, refused }) => {
        const page = await accounts.reposOf(name, cursorOf(query));
        const account = query.cursor === undefined ? found(page.account, 'account') : page.account;
        return {
          title: account === undefined ? `More repositories of ${name}` : name,
          teaches:
            'Users and organizations have one form of key, so one request is right for both: the account, then its repositories by the time of their last update, read backwards.',
          main: html`${account !== undefined && accountFacts(account, additions?.account ?? [])}
          ${repoList(page.repos)}${more(accountPath(name), page.cursor)}
          ${account !== undefined && person === name && planForm(account, refused)}`,
        };
      },
    }),
    screen({
      path: '/orgs/{org}/members',
      serves: ['GH-21'],
      query: paged,
      show: async ({ path: { org }, query, person, refused }) => {
        const { organization, memberships, cursor } = await accounts.membersOf(org, cursorOf(query));
        if (query.cursor === undefined) found(organization, 'organization');
        return {
          title: `People of ${org}`,
          teaches:
            'Members are items behind the organization, since their number has no bound. The organizations of a user have one, and are an attribute of the user.',
          main: html`<p><a href="${accountPath(org)}">${org}</a></p>
            <ul class="rows">
              ${memberships.map(({ username, role, createdAt }) => html`<li>${picture('face', username, 30)}<a class="grow" href="${accountPath(username)}">${username}</a><span>${role}</span><small>since ${dayOf(createdAt)}</small></li>`)}
            </ul>
            ${more(`/orgs/${encodeURIComponent(org)}/members`, cursor)}
            ${
              person !== undefined &&
              mayAdd(person, memberships, cursor !== undefined) &&
              form(
                `/orgs/${encodeURIComponent(org)}/members`,
                html`<h2>Add a member</h2>
                  ${field('username', 'User', { refused })}${field('role', 'Role', {
                    refused,
                    choices: [
                      ['Member', 'Member'],
                      ['Admin', 'Admin'],
                    ],
                  })}<button class="second">Add</button>`,
                'Add a member',
              )
            }`,
        };
      },
    }),
    screen({
      path: '/new',
      serves: ['SS-02', 'GH-22'],
      signedIn: true,
      show: async ({ person = '', refused }) => {
        const organizations = found(await accounts.organizationsOf(person), 'user');
        return {
          title: 'New',
          teaches: 'The organizations of a user are on the user, forty at most: one item has all of them.',
          main: html`<div class="columns">
            <section aria-label="Repository">
              <h2>A repository</h2>
              ${form(
                '/new/repository',
                html`${field('owner', 'Owner', { refused, choices: [person, ...Object.keys(organizations)].map((name) => [name, name] as const) })}${field('name', 'Name of the repository', { refused, hint: 'letters, digits, ., - and _' })}${field('description', 'Description', { refused })}<button>
                    Create repository
                  </button>`,
                'Repository',
              )}
            </section>
            <section aria-label="Organization">
              <h2>An organization</h2>
              ${form('/new/organization', html`${field('login', 'Name of the organization', { refused })}<button class="second">Create organization</button>`, 'Organization')}
            </section>
          </div>`,
        };
      },
    }),
    screen({
      path: '/sign-up',
      serves: ['GH-18'],
      show: async ({ refused }) =>
        await Promise.resolve({
          title: 'Sign up',
          teaches:
            'A user and an organization of one name would be one item, so the condition of one write keeps both kinds apart.',
          main: form(
            '/sign-up',
            html`${field('login', 'User name', { refused, hint: 'letters, digits, ., - and _' })}<button>
                Sign up
              </button>`,
            'Sign up',
          ),
        }),
    }),
  ];
}

function accountActions({ site, once, signIn, start }: PagesOptions): readonly Action[] {
  const { accounts } = site;
  return [
    action({
      path: '/find',
      of: start,
      form: newAccount,
      act: async ({ form: { login } }) => await Promise.resolve({ to: accountPath(login) }),
    }),
    action({
      path: '/sign-up',
      of: '/sign-up',
      form: newAccount,
      act: async ({ form: { login }, key }) => {
        const { name } = await once.createUser(login, key);
        return await signIn.enter(name, key, accountPath(name));
      },
    }),
    action({
      path: '/new/repository',
      of: '/new',
      signedIn: true,
      form: newRepo,
      act: async ({ form: { owner, name, description }, person = '', key }) => {
        await mustActFor(site, person, owner);
        const described = description !== undefined && description !== '' && { description };
        await once.createRepo({ owner, repo: name, ...described }, person, key);
        return { to: repoPath({ owner, repo: name }) };
      },
    }),
    action({
      path: '/new/organization',
      of: '/new',
      signedIn: true,
      form: newAccount,
      act: async ({ form: { login }, person = '', key }) => {
        await once.foundOrganization(login, person, key);
        return { to: `/orgs/${encodeURIComponent(login)}/members` };
      },
    }),
    action({
      path: '/orgs/{org}/members',
      of: '/orgs/{org}/members',
      signedIn: true,
      form: newMember,
      act: async ({ path: { org }, form: { username, role }, person = '' }) => {
        await mustAdminister(site, person, org);
        await accounts.addMember({ organization: org, username, role });
        return { to: `/orgs/${encodeURIComponent(org)}/members` };
      },
    }),
    action({
      path: '/accounts/{name}/plan',
      of: '/accounts/{name}',
      signedIn: true,
      form: newPlan,
      act: async ({ path, form: { name: planType, start_date: planStartDate }, person }) => {
        if (path.name !== person) throw new HttpError(403, 'not-yours', 'This plan belongs to another account.');
        await accounts.setPaymentPlan(path.name, { planType, planStartDate });
        return { to: accountPath(path.name) };
      },
    }),
  ];
}

function accountFacts(account: Account, tabs: readonly Tab[]): Markup {
  const { name, type, createdAt, paymentPlan } = account;
  const organizations = account.type === 'User' ? Object.entries(account.organizations) : [];
  return html`<p class="inline">
      ${picture(type === 'User' ? 'face' : 'identicon', name, 56)}<span
        >${type} since ${dayOf(createdAt)}${paymentPlan !== undefined && `, plan ${paymentPlan.planType}`}</span
      >${type === 'Organization' && html`<a href="/orgs/${encodeURIComponent(name)}/members">People</a>`}
    </p>
    ${
      organizations.length > 0 &&
      html`<p>
        Organizations:
        ${organizations.map(([organization, role]) => html`<a href="${accountPath(organization)}">${organization}</a> (${role}) `)}
      </p>`
    }
    ${tabs.length > 0 && html`<p class="inline">${tabs.map(({ path, label }) => html`<a href="${accountPath(name)}/${path}">${label}</a>`)}</p>`}
    <h2>Repositories</h2>`;
}

function planForm({ name: owner, paymentPlan }: Account, refused: Refused | undefined): Markup {
  return form(
    `${accountPath(owner)}/plan`,
    html`<h2>Payment plan</h2>
      ${field('name', 'Plan', { refused, choices: PLANS.map((name) => [name, name] as const), ...(paymentPlan !== undefined && { value: paymentPlan.planType }) })}${field(
        'start_date',
        'From',
        { refused, type: 'date', ...(paymentPlan !== undefined && { value: paymentPlan.planStartDate }) },
      )}<button class="second">Save plan</button>`,
    'Payment plan',
  );
}

/** Whether the form to add a member is shown: to an admin on the page, and where more members follow. */
function mayAdd(person: string, members: readonly Pick<Membership, 'username' | 'role'>[], areMore: boolean): boolean {
  const own = members.find(({ username }) => username === person);
  return own === undefined ? areMore : own.role === 'Admin';
}
