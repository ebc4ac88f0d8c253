import type { Progress, SegmentCount, Step } from '@singlet/model/migrate';
import { barCharacters, loadProgressBars } from '../progress-bars.ts';

/** Shows the progress of a migration on a terminal. */
export interface ProgressBar {
  show(progress: Progress): void;
  end(): void;
}

/**
 * A bar per step on standard error; nothing if that is not a terminal.
 *
 * @param items - approximately how many items a table has.
 */
export async function progressBar(
  items: (table: string) => number,
  stepText: (step: Step) => string,
): Promise<ProgressBar> {
  const cliProgress = process.stderr.isTTY ? await loadProgressBars() : undefined;
  if (cliProgress === undefined) return { show: () => undefined, end: () => undefined };
  const format = '{bar} {percentage}% | {value} of about {total} read | {written} written | {name}';
  const bar = new cliProgress.SingleBar(
    {
      format,
      barsize: barCharacters(process.stderr),
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
    },
    cliProgress.Presets.shades_classic,
  );
  let at = 0;
  return {
    show: ({ step, number, count }) => {
      if (number !== at) {
        bar.stop();
        bar.start(step.kind === 'items' ? Math.max(1, items(step.table)) : 1, 0, payload(count, stepText(step)));
        at = number;
      }
      bar.setTotal(Math.max(bar.getTotal(), count.scanned));
      bar.update(count.scanned, payload(count, stepText(step)));
    },
    end: () => bar.stop(),
  };
}

function payload({ written }: SegmentCount, name: string): object {
  return { written, name };
}
