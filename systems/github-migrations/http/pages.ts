import { stepText } from '@singlet/model/migrate';
import { z } from 'zod';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, live } from '../../http/page-frame.ts';
import { type Action, action, type Screen, screen } from '../../http/screens.ts';
import { MIGRATIONS, SWITCHED_BY } from '../migrations.ts';
import type { MigrationName } from '../versions.ts';
import { ACTS, type Act, LISTS, type Move, type MoveState, NAMES } from './moves.ts';
import { repoName, writeUnits } from './routes.ts';
import { compare, type Comparison, type Look, type Site } from './site.ts';

const TITLES: Readonly<Record<MigrationName, string>> = {
  'MIG-1': 'Codes of conduct: an attribute that may be missing',
  'MIG-2': 'Gists: new items in collections that are there',
  'MIG-3': 'Apps: accounts get the keys of a collection',
  'MIG-4': 'Issues by status: an index, and keys for repositories and issues',
  'MIG-5': 'Pull requests by status: an index, and keys for repositories and pull requests',
};

const STATES: Readonly<Record<MoveState, readonly [label: string, sign: string]>> = {
  ready: ['Not begun', ''],
  running: ['Runs', 'half'],
  interrupted: ['Interrupted', 'half'],
  done: ['Done', 'full'],
  verified: ['Verified', 'full'],
  faulty: ['Faults were found', 'gone'],
  failed: ['Failed', 'gone'],
};

const LABELS: Readonly<Record<Act, string>> = { run: 'Run', resume: 'Resume', verify: 'Verify', undo: 'Undo' };

/** The screens: the migrations, and before and after side by side. */
export function screensOf(site: Site): readonly Screen[] {
  const { moves, visitors } = site;
  return [
    screen({
      path: '/',
      serves: ['MIG-1', 'MIG-2', 'MIG-3', 'MIG-4', 'MIG-5'],
      query: z.object({ still: z.string().optional() }),
      show: async ({ query }) =>
        await Promise.resolve({
          title: 'Migrations',
          teaches:
            'Writers write the new keys before the first item is moved, so that a migration only meets what is old; how far each segment is, the table keeps itself. Readers are switched when every item has been compared.',
          main: html`${live(
            'moves',
            html`<ul class="rows">
                ${moves.list().map((move) => moveRow(move, moves.readers))}
              </ul>
              <p>
                <span class="state ${visitors.isOn ? 'half' : ''}">Visitors ${visitors.isOn ? 'click' : 'rest'}</span>:
                ${visitors.acts} acts, ${visitors.faults} faults
              </p>`,
            { still: query.still !== undefined },
          )}
          ${form('/visitors', html`<input type="hidden" name="is" value="${visitors.isOn ? 'off' : 'on'}" /><button class="second">${visitors.isOn ? 'Stop the visitors' : 'Let visitors click'}</button>`)}`,
        }),
    }),
    screen({
      path: '/migrations/{id}',
      serves: [],
      show: async ({ path, refused }) => {
        const id = z.enum(NAMES).safeParse(path.id).data ?? 'MIG-1';
        return await Promise.resolve({
          title: `${id}, at a pace`,
          teaches:
            'A migration has a rate of its own: what it may write in a second is taken from what the table can bear beside its visitors.',
          main: html`<p>${TITLES[id]}</p>
            <h2>Plan</h2>
            ${planOf(id)}
            <h2>Acts</h2>
            <div class="columns">
              ${(['run', 'resume'] as const).map((act) => actForm(id, act, field('writeUnits', `Write units a second, to ${act}`, { refused, type: 'number', value: '150' })))}
            </div>
            <p></p>
            <div class="inline">${(['verify', 'undo'] as const).map((act) => actForm(id, act))}</div>
            ${SWITCHED_BY[id].length > 0 && html`<h2>Readers</h2>`}
            <div class="inline">
              ${SWITCHED_BY[id].map((list) =>
                form(
                  '/readers',
                  html`<input type="hidden" name="list" value="${list}" /><input
                      type="hidden"
                      name="id"
                      value="${id}"
                    /><button class="second" name="by" value="${moves.readers[list] ? 'filter' : 'key'}">
                      ${moves.readers[list] ? 'Read as before' : 'Read by key'}: ${list}
                    </button>`,
                ),
              )}
            </div>`,
        });
      },
    }),
    screen({
      path: '/compare',
      serves: ['GH-05', 'GH-08', 'GHM-10', 'GHM-11', 'GHM-12', 'GHM-13'],
      query: repoName.partial(),
      show: async ({ query }) => {
        const [first = { owner: 'none', repo: 'none' }] = site.repos;
        const repo = { owner: query.owner ?? first.owner, repo: query.repo ?? first.repo };
        const lists = await compare(site, repo);
        return {
          title: 'Before and after',
          teaches:
            'Before, a list of one status reads all issues and drops the others; after, the status is in the key of an index, and what is read is what is shown.',
          main: html`<p class="links">
              ${site.repos.map((each) => html`<a href="/compare?${new URLSearchParams({ owner: each.owner, repo: each.repo }).toString()}">${each.owner}/${each.repo}</a> `)}
            </p>
            <h2>${repo.owner}/${repo.repo}</h2>
            <div class="scrolls" tabindex="0" role="region" aria-label="Lists">
              <table>
                <thead>
                  <tr>
                    <th scope="col">List</th>
                    <th scope="col">Before</th>
                    <th scope="col">After</th>
                  </tr>
                </thead>
                <tbody>
                  ${lists.map(comparedRow)}
                </tbody>
              </table>
            </div>`,
        };
      },
    }),
  ];
}

/** What the forms do. */
export function actionsOf({ moves, visitors }: Site): readonly Action[] {
  const paced = z.object({ writeUnits: z.coerce.number().pipe(writeUnits).optional() });
  const idOf = (id: string): MigrationName => z.enum(NAMES).safeParse(id).data ?? 'MIG-1';
  return [
    ...ACTS.map((act) =>
      action({
        path: `/migrations/{id}/${act}`,
        of: '/migrations/{id}',
        form: paced,
        act: async ({ path, form: typed }) => {
          moves.begin(idOf(path['id'] ?? ''), act, typed.writeUnits);
          return await Promise.resolve({ to: '/' });
        },
      }),
    ),
    action({
      path: '/migrations/{id}/interrupt',
      of: '/',
      form: z.object({}),
      act: async ({ path }) => {
        await moves.interrupt(idOf(path.id));
        return { to: '/' };
      },
    }),
    action({
      path: '/readers',
      of: '/',
      form: z.object({ list: z.enum(LISTS), by: z.enum(['key', 'filter']), id: z.enum(NAMES) }),
      act: async ({ form: { list, by, id } }) => {
        moves.switchReader(list, by === 'key');
        return await Promise.resolve({ to: `/migrations/${id}` });
      },
    }),
    action({
      path: '/visitors',
      of: '/',
      form: z.object({ is: z.enum(['on', 'off']) }),
      act: async ({ form: { is } }) => {
        visitors.isOn = is === 'on';
        return await Promise.resolve({ to: '/' });
      },
    }),
  ];
}

function actForm(id: MigrationName, act: Act, pace?: Markup): Markup {
  const look = act === 'run' ? '' : 'second';
  return form(`/migrations/${id}/${act}`, html`${pace}<button class="${look}">${LABELS[act]}</button>`, LABELS[act]);
}

/** Computed from the versions of the model before and after. */
function planOf(id: MigrationName): Markup {
  const { steps } = MIGRATIONS[id];
  if (steps.length === 0) return html`<p>Nothing stored has to change: writers and readers may begin.</p>`;
  return html`<ol>
    ${steps.map((step) => html`<li>${stepText(step)}</li>`)}
  </ol>`;
}

function moveRow({ id, state, act, read, written, detail }: Move, readers: Readonly<Record<string, boolean>>): Markup {
  const [label, sign] = STATES[state];
  const on = SWITCHED_BY[id].filter((list) => readers[list]);
  return html`<li>
    <span class="grow"
      ><a href="/migrations/${id}">${id}</a> ${TITLES[id]}<br /><small
        >${read} items read, ${written}
        written${on.length > 0 && `; by key: ${on.join(', ')}`}${detail !== undefined && `; ${detail}`}</small
      ></span
    ><span class="state ${sign}">${label}${act !== undefined && `: ${LABELS[act]}`}</span>${
      state === 'running' &&
      form(`/migrations/${id}/interrupt`, html`<button class="second" aria-label="Interrupt ${id}">Interrupt</button>`)
    }
  </li>`;
}

function comparedRow({ list, status, before, after }: Comparison): Markup {
  const said = ({ read, shown, rcu }: Look): string => `${read} read, ${shown} shown, ${rcu} RCU`;
  return html`<tr>
    <th scope="row">${status} ${list === 'issues' ? 'issues' : 'pull requests'}</th>
    <td>${said(before)}</td>
    <td>${after === undefined ? 'no keys yet' : said(after)}</td>
  </tr>`;
}
