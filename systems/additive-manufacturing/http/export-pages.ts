import { z } from 'zod';
import { html, type Markup } from '../../http/markup.ts';
import { field, form, live } from '../../http/page-frame.ts';
import { type Action, action, type Screen, screen } from '../../http/screens.ts';
import type { DataLake, LakeExport } from '../data-lake.ts';
import { begun, exportId, existingExport, time } from './export-routes.ts';

const STATES: Readonly<Record<LakeExport['status'], readonly [label: string, sign: string]>> = {
  running: ['It runs', 'half'],
  done: ['Done', 'full'],
  failed: ['Failed', 'gone'],
};

/** The screens of exports for data scientists: the form, and how far one is. */
export function exportScreens(lake: DataLake): readonly Screen[] {
  return [
    screen({
      path: '/exports',
      serves: ['AM-W7'],
      show: async ({ refused }) =>
        await Promise.resolve({
          title: 'Export',
          teaches:
            'The service makes an export from its backups. It reads nothing from the table and takes none of its capacity, so the floor does not notice it.',
          main: html`<p>
              Files for the data scientists, in their bucket: everything in the table, or only what changed between two
              times.
            </p>
            ${form(
              '/exports',
              html`${field('from', 'Changes since', {
                  refused,
                  hint: 'UTC, such as 2026-03-02T08:00:00Z; nothing for the whole table',
                })}${field('to', 'Changes until', { refused, hint: 'at least 15 minutes later' })}<button>
                  Export
                </button>`,
              'Export',
            )}`,
        }),
    }),
    screen({
      path: '/exports/{exportId}',
      serves: ['AM-W7'],
      query: z.object({ still: z.string().optional() }),
      show: async ({ path, query: { still } }) => {
        const found = await existingExport(lake, exportId.safeParse(path.exportId).data);
        return {
          title: 'One export',
          teaches:
            'What the export holds is the table at one moment, however long it takes: orders that are begun meanwhile are not in it.',
          // The page of a running export finds the part of this name on the page of one that is done.
          main:
            found.status === 'running'
              ? live('export', stateOf(found), { still: still !== undefined })
              : html`<div id="export">${stateOf(found)}</div>`,
        };
      },
    }),
  ];
}

function stateOf({ exportId: id, status, items, manifest }: LakeExport): Markup {
  const [label, sign] = STATES[status];
  return html`<p role="status" class="state ${sign}">${label}</p>
    <dl class="facts">
      <div>
        <dt>Export</dt>
        <dd class="mono">${id}</dd>
      </div>
      ${
        items !== undefined &&
        html`<div>
          <dt>Items</dt>
          <dd>${items}</dd>
        </div>`
      }
      ${
        manifest !== undefined &&
        html`<div>
          <dt>Manifest</dt>
          <dd class="mono">${manifest}</dd>
        </div>`
      }
    </dl>`;
}

/** A field that is left empty says nothing. */
const timeOrNone = z
  .string()
  .transform((text) => (text === '' ? undefined : text))
  .pipe(time.optional());

export function exportActions(lake: DataLake): readonly Action[] {
  return [
    action({
      path: '/exports',
      of: '/exports',
      form: z.object({ from: timeOrNone, to: timeOrNone }),
      act: async ({ form: { from, to }, key }) => {
        const { exportId: id } = await begun(lake, { from, to }, key);
        return { to: `/exports/${id}` };
      },
    }),
  ];
}
