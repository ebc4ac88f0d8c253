import { barCharacters, loadProgressBars } from '../progress-bars.ts';

/** The progress of a long operation. */
export interface Progress {
  update(done: number, count: number): void;
  stop(): void;
}

/** How often a line is printed if there is no terminal, in milliseconds. */
const lineIntervalMs = 5000;

/**
 * Shows progress on standard error: a bar on a terminal, and otherwise a line from time to time.
 *
 * @param total - the total of the counts passed to `update`; undefined if unknown.
 * @param unit - what `update` counts.
 */
export async function showProgress(label: string, total: number | undefined, unit = 'items'): Promise<Progress> {
  if (!process.stderr.isTTY || total === undefined || total === 0) return progressLines(label, total, unit);
  const library = await loadProgressBars();
  if (library === undefined) return progressLines(label, total, unit);
  const { SingleBar, Presets } = library;
  const format = `${label} {bar} {percentage}% | {count} ${unit} | {duration_formatted}`;
  const barsize = barCharacters(process.stderr);
  const bar = new SingleBar({ format, barsize, stream: process.stderr, hideCursor: true }, Presets.shades_classic);
  bar.start(total, 0, { count: 0 });
  return {
    update: (done, count) => bar.update(Math.min(done, total), { count }),
    stop: () => bar.stop(),
  };
}

function progressLines(label: string, total: number | undefined, unit: string): Progress {
  let nextMs = Date.now() + lineIntervalMs;
  return {
    update(done, count) {
      if (Date.now() < nextMs) return;
      nextMs = Date.now() + lineIntervalMs;
      const share = total === undefined || total === 0 ? '' : `${Math.min(100, Math.floor((100 * done) / total))} %, `;
      process.stderr.write(`${label}: ${share}${count} ${unit}\n`);
    },
    stop: () => undefined,
  };
}
