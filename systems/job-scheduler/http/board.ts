import { html, type Markup } from '../../http/markup.ts';
import { SHARDS } from '../model.ts';
import type { Job } from '../scheduler.ts';
import { shardOf } from './routes.ts';

// The board: a lane is a partition of the index, the position along it is the sort key. Positions are in percent, so that text keeps its
// size while the board becomes wider.

/** The times that the board shows. */
export const AHEAD_SECONDS = 600;
const BEHIND_SECONDS = 120;
const SPAN_SECONDS = AHEAD_SECONDS + BEHIND_SECONDS;

const NAMES_WIDTH = 9;
const CHIP_WIDTH = 13;
const ROWS_MAX = 3;
const ROW_HEIGHT = 30;
const LANE_PADDING = 8;
const HEAD_HEIGHT = 30;
const TICK_SECONDS = 120;
const NAME_LETTERS_MAX = 17;

interface Placed {
  readonly job: Job;
  readonly x: number;
  readonly row: number;
}

/** Draws jobs in the lanes of their shards. The lists beside it have the same information. */
export function board(jobs: readonly Job[], nowSeconds: number): Markup {
  const lanes = Array.from({ length: SHARDS }, (_, shard) =>
    placed(
      jobs.filter((job) => shardOf(job) === shard),
      nowSeconds,
    ),
  );
  let y = HEAD_HEIGHT;
  const drawn = lanes.map((lane, shard) => {
    const rows = Math.max(1, ...lane.map(({ row }) => row + 1));
    const height = rows * ROW_HEIGHT + LANE_PADDING * 2;
    const top = y;
    y += height;
    return html`<line class="rule" x1="0" x2="100%" y1="${top}" y2="${top}" /><text class="soft" x="1%" y="${top + 28}">
        Shard#${shard}
      </text>
      ${lane.map((each) => chip(each, top + LANE_PADDING + each.row * ROW_HEIGHT, nowSeconds))}`;
  });
  const now = xOf(nowSeconds, nowSeconds);
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="Lanes of the shards">
    <svg class="lanes" height="${y}" aria-hidden="true">
      <rect
        class="past"
        x="${NAMES_WIDTH}%"
        y="${HEAD_HEIGHT}"
        width="${now - NAMES_WIDTH}%"
        height="${y - HEAD_HEIGHT}"
      />
      ${ticks(nowSeconds, y)} ${drawn}
      <line class="now" x1="${now}%" x2="${now}%" y1="${HEAD_HEIGHT - 6}" y2="${y}" />
      <text class="now" x="${now}%" y="18" text-anchor="middle">now</text>
    </svg>
  </div>`;
}

function ticks(nowSeconds: number, height: number): readonly Markup[] {
  const first = Math.ceil((nowSeconds + TICK_SECONDS / 2) / TICK_SECONDS) * TICK_SECONDS;
  return Array.from(
    { length: Math.ceil((nowSeconds + AHEAD_SECONDS - TICK_SECONDS / 4 - first) / TICK_SECONDS) },
    (_, index) => {
      const at = first + index * TICK_SECONDS;
      const x = xOf(at, nowSeconds);
      return html`<line class="rule" x1="${x}%" x2="${x}%" y1="${HEAD_HEIGHT}" y2="${height}" /><text
          class="soft"
          x="${x}%"
          y="18"
          text-anchor="middle"
        >
          ${timeText(at).slice(0, 5)}
        </text>`;
    },
  );
}

/** In rows, so that no chip covers another while rows are free. */
function placed(jobs: readonly Job[], nowSeconds: number): readonly Placed[] {
  const endsOf: number[] = [];
  return jobs.map((job) => {
    const x = xOf(secondsOf(job.dueAt), nowSeconds);
    const free = endsOf.findIndex((end) => end <= x);
    const row = free >= 0 ? free : Math.min(endsOf.length, ROWS_MAX - 1);
    endsOf[row] = x + CHIP_WIDTH;
    return { job, x, row };
  });
}

function chip({ job, x }: Placed, y: number, nowSeconds: number): Markup {
  const kind = job.status === 'running' ? 'runs' : secondsOf(job.dueAt) <= nowSeconds ? 'late' : 'waits';
  const from = job.status === 'running' ? xOf(nowSeconds, nowSeconds) : x;
  return html`${from < x && html`<rect class="lease" x="${from}%" y="${y + 9}" width="${x - from}%" height="8" />`}<rect
      class="${kind}"
      x="${x}%"
      y="${y}"
      width="${Math.min(CHIP_WIDTH - 0.6, 100 - x)}%"
      height="26"
    /><rect class="${kind} edge" x="${x}%" y="${y}" width="3" height="26" /><text x="${x + 0.8}%" y="${y + 17}"
      >${shortened(job.JobName)}${job.schedule !== undefined && ' ↻'}</text
    >`;
}

/** In percent, within the lanes. */
function xOf(seconds: number, nowSeconds: number): number {
  const share = (seconds - nowSeconds + BEHIND_SECONDS) / SPAN_SECONDS;
  return Math.round((NAMES_WIDTH + Math.min(Math.max(share, 0), 1) * (100 - NAMES_WIDTH)) * 100) / 100;
}

function shortened(name: string): string {
  return name.length <= NAME_LETTERS_MAX ? name : `${name.slice(0, NAME_LETTERS_MAX - 1)}…`;
}

/** A due time in seconds since 1970. A day counts as its beginning. */
export function secondsOf(dueAt: string | undefined): number {
  return dueAt === undefined ? 0 : Date.parse(dueAt) / 1000;
}

/** `14:32:07`, in UTC. */
export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 19);
}
