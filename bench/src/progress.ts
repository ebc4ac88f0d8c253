import { stderr } from 'node:process';

/** Reports progress to the user. On a terminal a step replaces the one before. */
export interface Progress {
  /** The current step. */
  step(text: string): void;
  /** A line that stays on the screen. */
  note(text: string): void;
  /** Removes the step that is shown. */
  end(): void;
}

export function createProgress(): Progress {
  const startMs = performance.now();
  const clear = (): void => void (stderr.isTTY && stderr.write('\r\u001b[K'));
  const stamp = (): string => `${((performance.now() - startMs) / 1000).toFixed(0).padStart(4)} s  `;
  return {
    step: (text) => {
      clear();
      stderr.write(stderr.isTTY ? `${stamp()}${text}`.slice(0, stderr.columns) : `${stamp()}${text}\n`);
    },
    note: (text) => {
      clear();
      stderr.write(`${stamp()}${text}\n`);
    },
    end: clear,
  };
}
