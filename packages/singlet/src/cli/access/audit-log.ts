import { closeSync, openSync } from 'node:fs';
import { appendFile, rename, stat } from 'node:fs/promises';
import type { Denial } from '../../access/index.ts';
import type { RequestEvent } from '../../server/index.ts';
import { errorCodeOf } from '../../storage/files/node-file-system.ts';

export interface AuditLogOptions {
  readonly file: string;
  readonly nowMs: () => number;
  /** Called for lines that could not be written. */
  readonly onError: (error: unknown) => void;
  /** When the file reaches this size it is renamed to FILE.1, and a new one is begun. */
  readonly fileBytesMax?: number;
  /** How many files are kept in addition to the current one. */
  readonly filesMax?: number;
  /** How many lines may wait to be written. */
  readonly waitingMax?: number;
}

const defaults = { fileBytesMax: 16 * 1024 * 1024, filesMax: 9, waitingMax: 10_000 };

/** Only the owner may read it. */
const ownerOnly = 0o600;

/** Actions on items and stream records. There are very many of them, and the effect of permitted ones is visible in the data. */
const dataActions: ReadonlySet<string> = new Set(
  `BatchExecuteStatement BatchGetItem BatchWriteItem DeleteItem DescribeStream ExecuteStatement ExecuteTransaction GetItem GetRecords
   GetShardIterator PutItem Query Scan SearchVectors TransactGetItems TransactWriteItems UpdateItem`.split(/\s+/),
);

/** Errors for requests whose sender was not authenticated or not permitted. */
const refusals: ReadonlySet<string> = new Set(
  `AccessDenied AccessDeniedException ExpiredToken ExpiredTokenException IncompleteSignature IncompleteSignatureException
   InvalidClientTokenId InvalidSignatureException MissingAuthenticationToken MissingAuthenticationTokenException SignatureDoesNotMatch
   UnrecognizedClientException`.split(/\s+/),
);

/**
 * Records who changed what, and which requests were refused: one JSON object per line, without secrets or items. Several processes may write to
 * one file.
 *
 * Requests do not wait for it. If the disk is slower than the requests, or the file cannot be written, lines are dropped, and a line says how
 * many.
 */
export class AuditLog {
  readonly #options: Required<AuditLogOptions>;
  #waiting: string[] = [];
  #left = 0;
  #writing: Promise<void> | undefined;

  /** Creates the file. @throws the system's error if it cannot be written. */
  constructor(options: AuditLogOptions) {
    this.#options = { ...defaults, ...options };
    closeSync(openSync(options.file, 'a', ownerOnly));
  }

  /** Logs a request, if it is of a logged kind. */
  request({ requestId, action, table, region, status, error, caller, sourceIp }: RequestEvent): void {
    const isRefusal = error !== undefined && refusals.has(error);
    if (!isRefusal && (action === undefined || dataActions.has(action))) return;
    this.#add({ kind: 'request', requestId, action, table, region, status, error, caller, sourceIp });
  }

  /** Logs a denial. */
  denial({ caller, permission, resource, decision }: Denial): void {
    const { outcome, decidedBy, reason } = decision;
    this.#add({ kind: 'denial', caller: caller.arn, permission, resource, outcome, decidedBy, reason });
  }

  /** Resolves when all lines so far have been written. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #add(line: object): void {
    if (this.#waiting.length >= this.#options.waitingMax) {
      this.#left += 1;
      return;
    }
    this.#waiting.push(this.#text(line));
    this.#writing ??= this.#write();
  }

  #text(line: object): string {
    return `${JSON.stringify({ time: new Date(this.#options.nowMs()).toISOString(), ...line })}\n`;
  }

  async #write(): Promise<void> {
    const { file, fileBytesMax, onError } = this.#options;
    await Promise.resolve(); // lines of the same turn are written together
    while (this.#waiting.length > 0) {
      const [lines, left] = [this.#waiting, this.#left];
      this.#waiting = [];
      this.#left = 0;
      const note = left > 0 ? [this.#text({ kind: 'lines-left-out', count: left })] : [];
      try {
        await appendFile(file, [...lines, ...note].join(''), { mode: ownerOnly });
      } catch (error) {
        this.#left += left + lines.length;
        onError(error);
        continue;
      }
      try {
        if ((await stat(file)).size >= fileBytesMax) await this.#putAside();
      } catch (error) {
        onError(error);
      }
    }
    this.#writing = undefined;
  }

  async #putAside(): Promise<void> {
    const { file, filesMax } = this.#options;
    const name = (at: number): string => (at === 0 ? file : `${file}.${at}`);
    for (let at = filesMax - 1; at >= 0; at -= 1) {
      try {
        await rename(name(at), name(at + 1));
      } catch (error) {
        // There are fewer files so far, or another process was first.
        if (errorCodeOf(error) !== 'ENOENT') throw error;
      }
    }
  }
}
