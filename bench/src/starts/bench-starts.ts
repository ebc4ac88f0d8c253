import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BenchError } from '../bench-error.ts';
import { cpuMicroseconds } from '../process-cpu.ts';
import { textTable } from '../text-table.ts';

const help = `How long each application takes from \`npm run app -- NAME\` to its first page, with its sample data.

  npm run bench -- starts [options]

  --rounds N       starts of each, in turns; the least counts (default 3)
  --only NAMES     some of the applications, separated by commas (default: all)
  --help           this text

The exit code is 1 if an application takes longer than 2 s. CPU is that of all threads and processes of the command: a busy
machine lengthens the wait, and the CPU much less.
`;

const ELAPSED_SECONDS_MAX = 2;
const applications = new URL('../../../systems/', import.meta.url);
const workspace = fileURLToPath(new URL('../', applications));

interface Start {
  readonly cpuSeconds: number;
  readonly elapsedSeconds: number;
}

/** `npm run bench -- starts`. @returns the exit code. */
export async function benchStarts(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      rounds: { type: 'string', default: '3' },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const rounds = Number(values.rounds);
  if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= 100)) {
    throw new BenchError('usage', '--rounds takes a whole number from 1 to 100');
  }
  const names = readdirSync(applications).filter((name) => existsSync(new URL(`${name}/http/serve.ts`, applications)));
  const wanted = values.only?.split(',') ?? names.toSorted();
  for (const name of wanted) {
    if (!names.includes(name)) throw new BenchError('usage', `there is no application ${JSON.stringify(name)}`);
  }
  const starts = new Map(wanted.map((name) => [name, [] as Start[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, of] of starts) of.push(await startOf(name));
  }
  const least = (of: readonly Start[], figure: keyof Start): number => Math.min(...of.map((start) => start[figure]));
  const rows = [...starts].map(([name, of]) => [
    name,
    least(of, 'elapsedSeconds').toFixed(2),
    least(of, 'cpuSeconds').toFixed(2),
  ]);
  process.stdout.write(`${textTable(['application', 'elapsed s', 'CPU s'], rows)}\n`);
  return [...starts.values()].every((of) => least(of, 'elapsedSeconds') <= ELAPSED_SECONDS_MAX) ? 0 : 1;
}

/** Starts an application and reads its first page. */
async function startOf(name: string): Promise<Start> {
  const startMs = performance.now();
  const child = spawn('npm', ['run', '--silent', 'app', '--', name, '--port', '0'], {
    cwd: workspace,
    // npm starts the application in a process of its own: both are ended as one group.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    let url: string | undefined;
    for await (const line of createInterface(child.stdout)) {
      url = /^The application is on (\S+);/.exec(line)?.[1];
      if (url !== undefined) break;
    }
    if (url === undefined) throw new BenchError('process', `${name} did not start`);
    const page = await fetch(url);
    await page.text();
    if (!page.ok) throw new BenchError('wrong-answer', `the first page of ${name} was answered ${page.status}`);
    const elapsedSeconds = (performance.now() - startMs) / 1000;
    const cpu = child.pid === undefined ? undefined : cpuMicroseconds(child.pid);
    if (cpu === undefined) throw new BenchError('absent', 'the system does not report the CPU of a process');
    return { cpuSeconds: cpu / 1_000_000, elapsedSeconds };
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await ended;
  }
}
