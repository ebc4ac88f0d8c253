import { readFileSync } from 'node:fs';
import { type Certificate, isLoopbackHost } from '../../server/index.ts';
import { fileProblem } from '../file-problem.ts';
import { UsageError } from '../usage-error.ts';

/** The options of `singlet serve` that control who can reach it, and how. */
export interface NetworkFlags {
  readonly host: string;
  readonly auth?: string;
  readonly authKey?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly plaintext?: boolean;
  readonly auditLog?: string;
  readonly connectionsPerAddress?: number;
  readonly requestsPerIdentity?: number;
  readonly requestsPerSecondPerIdentity?: number;
  readonly requestsPerSecondPerAddress?: number;
  /** Megabytes, of each process. */
  readonly memoryBudget: number;
  readonly memoryPerAddress?: number;
  readonly memoryPerIdentity?: number;
}

/**
 * Checks that a server reachable from other machines authenticates callers and encrypts connections, unless the flags explicitly allow
 * otherwise.
 *
 * @throws {UsageError} with one sentence on what is missing.
 */
export function checkNetworkFlags(flags: NetworkFlags): void {
  const { host, auth, authKey, tlsCert, tlsKey, plaintext, auditLog, requestsPerIdentity } = flags;
  if (auth === undefined) {
    if (!isLoopbackHost(host)) {
      throw new UsageError(
        `Singlet accepts any credentials, so it listens on this machine only: use --host 127.0.0.1, not ${host}. With --auth FILE it authenticates requests and may listen on any address.`,
      );
    }
    if (authKey !== undefined) throw new UsageError('--auth-key is the key of the --auth file: give both.');
    if (plaintext === true)
      throw new UsageError('--plaintext lets a server with --auth listen without TLS: add --auth.');
    if (auditLog !== undefined) throw new UsageError('--audit-log records who did what, so it needs --auth.');
    if (requestsPerIdentity !== undefined)
      throw new UsageError('--requests-per-identity counts by identity, so it needs --auth.');
    if (flags.requestsPerSecondPerIdentity !== undefined || flags.requestsPerSecondPerAddress !== undefined)
      throw new UsageError('Limits on requests per second need --auth: without it, all callers are on this machine.');
    if (flags.memoryPerAddress !== undefined || flags.memoryPerIdentity !== undefined)
      throw new UsageError('Limits on the memory of callers need --auth: without it, all callers are on this machine.');
  }
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UsageError('--tls-cert and --tls-key belong together.');
  if (tlsCert !== undefined && plaintext === true)
    throw new UsageError('--plaintext is for servers without --tls-cert.');
  if (!isLoopbackHost(host) && tlsCert === undefined && plaintext !== true) {
    throw new UsageError(
      `On ${host} others on the network could read the data: give --tls-cert and --tls-key, or --plaintext if a proxy in front of the server terminates TLS.`,
    );
  }
}

/** @throws {UsageError} for files that cannot be read. */
export function certificateOf({ tlsCert, tlsKey }: NetworkFlags): Certificate | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { cert: pemIn(tlsCert), key: pemIn(tlsKey) };
}

function pemIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw fileProblem(path, cause);
  }
}
