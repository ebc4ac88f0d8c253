import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BenchError } from './bench-error.ts';
import type { ServerCommand } from './child-processes.ts';
import type { Credentials } from './signed-headers.ts';

/** How each server is started. All print a line with their port when they accept requests. */

export function httpFloorCommand(bodyFile?: string): ServerCommand {
  const file = fileURLToPath(new URL('./floor-http-server.js', import.meta.url));
  return node(bodyFile === undefined ? [file] : [file, bodyFile]);
}

/** @param directory - LevelDB on disk; without it, everything in memory. */
export async function dynaliteCommand(directory?: string): Promise<ServerCommand> {
  const file = fileURLToPath(import.meta.resolve('dynalite/cli.js'));
  // dynalite treats port 0 as "no port given" and uses its default, so a free port must be named.
  const port = String(await freePort());
  const always = [file, '--host', '127.0.0.1', '--port', port, '--createTableMs', '0', '--deleteTableMs', '0'];
  return node(directory === undefined ? always : [...always, '--path', directory]);
}

/**
 * @param directory - for an SQLite file; without it, everything in memory.
 * @throws {BenchError} `absent` where this platform has no such program.
 */
export async function dynoxideCommand(directory?: string): Promise<ServerCommand> {
  // It accepts port 0 too, but does not report the port it got.
  const args = ['serve', '--host', '127.0.0.1', '--port', String(await freePort())];
  return {
    program: dynoxideProgram(),
    args: directory === undefined ? args : [...args, '--db-path', join(directory, 'dynoxide.db')],
  };
}

function dynoxideProgram(): string {
  try {
    return join(dirname(fileURLToPath(import.meta.resolve('@dynoxide/linux-x64/package.json'))), 'dynoxide');
  } catch (error) {
    throw new BenchError(
      'absent',
      'dynoxide is not installed: its package @dynoxide/linux-x64 is for Linux on x64, and optional.',
      { cause: error },
    );
  }
}

/**
 * @param options.directory - data on disk; without it, `--memory`.
 * @param options.buckets - where imports find their objects.
 * @throws {BenchError} `missing` when the command is not built; `absent` when workers are requested and it does not support them.
 */
export async function singletCommand(
  options: {
    readonly directory?: string;
    readonly workers?: number;
    readonly buckets?: string;
    readonly auth?: string;
  } = {},
): Promise<ServerCommand> {
  const file = singletProgram();
  const { directory, workers, buckets, auth } = options;
  if (workers !== undefined) {
    const { stdout } = await promisify(execFile)(process.execPath, [file, 'serve', '--help']);
    if (!stdout.includes('--workers')) throw new BenchError('absent', 'This `singlet serve` has no --workers.');
  }
  return node([
    file,
    'serve',
    '--port',
    '0',
    ...(directory === undefined ? ['--memory'] : ['--data', directory]),
    ...(workers === undefined ? [] : ['--workers', String(workers)]),
    ...(buckets === undefined ? [] : ['--buckets', buckets]),
    ...(auth === undefined ? [] : ['--auth', auth]),
  ]);
}

/** What a user of the benchmark may do: its own actions, on its tables, from this machine. */
const benchPolicy = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Action: ['dynamodb:*Item', 'dynamodb:*Items', 'dynamodb:Query', 'dynamodb:Scan', 'dynamodb:*Table'],
      Resource: ['arn:aws:dynamodb:*:*:table/Bench', 'arn:aws:dynamodb:*:*:table/Bench-*'],
      Condition: { IpAddress: { 'aws:SourceIp': '127.0.0.0/8' } },
    },
    { Effect: 'Deny', Action: 'dynamodb:DeleteTable', Resource: '*' },
  ],
};

/**
 * Creates a user with a policy, for a server that requires signatures.
 *
 * @param directory - for the identity file: `auth.json`.
 */
export async function createBenchUser(directory: string): Promise<{ auth: string; credentials: Credentials }> {
  const auth = join(directory, 'auth.json');
  const policy = join(directory, 'bench.json');
  writeFileSync(policy, JSON.stringify(benchPolicy));
  const identity = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [singletProgram(), 'identity', ...args]);
    return stdout;
  };
  const made = await identity('create', 'bench', '--auth', auth, '--json');
  await identity('attach', 'bench', '--policy', policy, '--auth', auth);
  return { auth, credentials: JSON.parse(made) as Credentials }; // as the command prints it
}

/** The file of the `singlet` command. @throws {BenchError} `missing` when it is not built. */
export function singletProgram(): string {
  const file = fileURLToPath(new URL('../../packages/singlet/dist/cli/main.js', import.meta.url));
  if (!existsSync(file)) {
    throw new BenchError('missing', `Singlet's command is not built (npm run build): there is no ${file}`);
  }
  return file;
}

function node(args: readonly string[]): ServerCommand {
  return { program: process.execPath, args };
}

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      // A TCP server that listens has an address of this form.
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
