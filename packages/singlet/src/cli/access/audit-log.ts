import { appendFile, rename, stat } from 'node:fs/promises';
import type { Denial } from '../../access/index.ts';
import type { RequestEvent } from '../../server/index.ts';
import { errorCodeOf } from '../../storage/files/node-file-system.ts';

export interface AuditLogOptions {
  readonly file: string;
  readonly nowMs: () => number;
  /** Hears of lines that could not be written. */
  readonly onError: (error: unknown) => void;
  /** From this size on the file is put aside, as FILE.1, and a new one is begun. */
  readonly fileBytesMax?: number;
  /** How many files are kept besides the one that is written. */
  readonly filesMax?: number;
  /** How many lines may wait for the disk. */
  readonly waitingMax?: number;
}

const defaults = { fileBytesMax: 16 * 1024 * 1024, filesMax: 9, waitingMax: 10_000 };

/** Only the owner may read it. */
const ownerOnly = 0o600;

/** Actions on items and records of streams. There are very many of them, and what became of those that were permitted is in the data. */
const dataActions: ReadonlySet<string> = new Set(
  `BatchExecuteStatement BatchGetItem BatchWriteItem DeleteItem DescribeStream ExecuteStatement ExecuteTransaction GetItem GetRecords
   GetShardIterator PutItem Query Scan SearchVectors TransactGetItems TransactWriteItems UpdateItem`.split(/\s+/),
);

/** What a request was answered with whose sender was not known, or not permitted. */
const refusals: ReadonlySet<string> = new Set(
  `AccessDenied AccessDeniedException ExpiredToken ExpiredTokenException IncompleteSignature IncompleteSignatureException
   InvalidClientTokenId InvalidSignatureException MissingAuthenticationToken MissingAuthenticationTokenException SignatureDoesNotMatch
   UnrecognizedClientException`.split(/\s+/),
);

/**
 * Who changed what, and who was refused: one JSON object a line. Neither secrets nor items are in it. Several processes may write to one file.
 *
 * Requests do not wait for it. When the disk is slower than they are, lines are left out, and a line says how many.
 */
export class AuditLog {
  readonly #options: Required<AuditLogOptions>;
  #waiting: string[] = [];
  #left = 0;
  #writing: Promise<void> | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = { ...defaults, ...options };
  }

  /** Notes a request, if it is one that is noted. */
  request({ requestId, action, table, region, status, error, caller, sourceIp }: RequestEvent): void {
    const isRefusal = error !== undefined && refusals.has(error);
    if (!isRefusal && (action === undefined || dataActions.has(action))) return;
    this.#add({ kind: 'request', requestId, action, table, region, status, error, caller, sourceIp });
  }

  /** Notes what a request was refused for. */
  denial({ caller, permission, resource, decision }: Denial): void {
    const { outcome, decidedBy, reason } = decision;
    this.#add({ kind: 'denial', caller: caller.arn, permission, resource, outcome, decidedBy, reason });
  }

  /** Resolves when all lines so far are in the file. */
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
    await Promise.resolve(); // all lines of this turn are written together
    while (this.#waiting.length > 0) {
      if (this.#left > 0) this.#waiting.push(this.#text({ kind: 'lines-left-out', count: this.#left }));
      const lines = this.#waiting.join('');
      this.#waiting = [];
      this.#left = 0;
      try {
        await appendFile(file, lines, { mode: ownerOnly });
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
        // There are not so many yet, or another process was first.
        if (errorCodeOf(error) !== 'ENOENT') throw error;
      }
    }
  }
}
