import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const host = fileURLToPath(new URL('command-host.mjs', import.meta.url));
const built = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** What a command left. */
export interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandOptions {
  /** The directory that the command runs in. */
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Commands of the program `singlet` as built, which run one after another in one process of the test file (command-host.mjs). For commands that end by
 * themselves and do not read their standard input: others have a `SingletProcess`.
 */
export function useCommands(): (args: readonly string[], options?: CommandOptions) => Promise<CommandEnd> {
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  afterAll(async () => {
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit'); // its CPU time counts from then on
    child.kill();
    await ended;
  });
  return async (args, { cwd = process.cwd(), env = process.env } = {}) => {
    if (!existsSync(built)) throw new Error(`${built} is missing: npm run build makes it`);
    const run = last.then(async () => {
      child ??= fork(host, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      return answer(child, { args, cwd, env });
    });
    last = run.catch(() => undefined);
    return run;
  };
}

async function answer(child: ChildProcess, command: object): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`the process of the commands ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (end) => {
      child.off('exit', onExit);
      resolve(end as CommandEnd);
    });
    child.send(command);
  });
}
