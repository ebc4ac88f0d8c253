import { type ChildProcess, spawn } from 'node:child_process';
import type { EngineLogEvent } from '../../engine/index.ts';

export interface SnapshotVerifierOptions {
  /** The target, as the user gave it. */
  readonly url: string;
  /** Further flags of `singlet verify`. */
  readonly flags: readonly string[];
  readonly log: (event: EngineLogEvent) => void;
}

/** The members used here of the output of `singlet verify --json`. */
interface Verified {
  readonly isSound: boolean;
  readonly chains: readonly { readonly problems: readonly string[] }[];
  readonly findings: readonly string[];
}

/** The maximum number of problems in a log line. */
const problemsMax = 10;

/**
 * Verifies a backup after each of its snapshots. It runs `singlet verify`, which restores the snapshot, in a separate process, so that requests
 * are not delayed.
 */
export class SnapshotVerifier {
  readonly #options: SnapshotVerifierOptions;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;
  #child: ChildProcess | undefined;

  constructor(options: SnapshotVerifierOptions) {
    this.#options = options;
  }

  /** A snapshot has been written. If another one is being verified, this one is verified afterwards. */
  snapshotWritten(): void {
    this.#isWanted = true;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  /** Resolves when nothing is running any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#child?.kill('SIGTERM');
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      const startedMs = performance.now();
      // Retention may remove objects while they are read, so a problem has to be found twice.
      const first = await this.#verify();
      const verified = typeof first === 'object' && !first.isSound ? await this.#verify() : first;
      if (this.#isStopped) return;
      this.#report(verified, performance.now() - startedMs);
    }
  }

  #report(verified: Verified | string, durationMs: number): void {
    const { url: target, log } = this.#options;
    if (typeof verified === 'string') {
      log({ level: 'warn', event: 'backup-not-verified', target, reason: verified });
      return;
    }
    if (verified.isSound) {
      log({ level: 'info', event: 'backup-verified', target, durationMs: Math.round(durationMs) });
      return;
    }
    const problems = [...verified.chains.flatMap((chain) => chain.problems), ...verified.findings];
    log({
      level: 'error',
      event: 'backup-damaged',
      target,
      problemCount: problems.length,
      problems: problems.slice(0, problemsMax),
    });
  }

  /** @returns the result, or why the verification failed. */
  async #verify(): Promise<Verified | string> {
    const { url, flags } = this.#options;
    const program = process.argv[1] ?? '';
    const child = spawn(process.execPath, [...process.execArgv, program, 'verify', url, '--json', ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    let [printed, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const end = await new Promise<number | string | null>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(code ?? signal));
    });
    this.#child = undefined;
    if (end === 0 || end === damagedExitCode) return JSON.parse(printed) as Verified; // written by the same program
    const reason = said.trim().split('\n')[0] ?? '';
    return reason === '' ? `singlet verify ended with ${end}` : reason;
  }
}

/** The exit code of `singlet verify` for a damaged backup. */
const damagedExitCode = 2;
