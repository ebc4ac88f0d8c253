/** How far a long work has come. */
export interface Progress {
  update(done: number, items: number): void;
  stop(): void;
}

/** How often a line is printed where there is no terminal, in milliseconds. */
const lineIntervalMs = 5000;

/**
 * Shows progress on standard error: a bar on a terminal, and a line now and then elsewhere.
 *
 * @param total - of what `update` is told is done; undefined when nobody knows.
 */
export async function showProgress(label: string, total: number | undefined): Promise<Progress> {
  if (!process.stderr.isTTY || total === undefined || total === 0) return progressLines(label, total);
  const { SingleBar, Presets } = await import('cli-progress');
  const format = `${label} {bar} {percentage}% | {items} items | {duration_formatted}`;
  const bar = new SingleBar({ format, stream: process.stderr, hideCursor: true }, Presets.shades_classic);
  bar.start(total, 0, { items: 0 });
  return {
    update: (done, items) => bar.update(Math.min(done, total), { items }),
    stop: () => bar.stop(),
  };
}

function progressLines(label: string, total: number | undefined): Progress {
  let nextMs = Date.now() + lineIntervalMs;
  return {
    update(done, items) {
      if (Date.now() < nextMs) return;
      nextMs = Date.now() + lineIntervalMs;
      const share = total === undefined || total === 0 ? '' : `${Math.min(100, Math.floor((100 * done) / total))} %, `;
      process.stderr.write(`${label}: ${share}${items} items\n`);
    },
    stop: () => undefined,
  };
}
