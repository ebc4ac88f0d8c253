import { BenchError } from './bench-error.ts';
import { closedLoop } from './closed-loop.ts';
import { openLmdbFloor } from './floors.ts';
import type { CallMode, InProcessTarget, RequestRing } from './in-process-target.ts';
import { ringName, type RingSpec } from './requests.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import { openSdk } from './sdk-target.ts';
import { openSinglet } from './singlet-target.ts';
import { answerCalls } from './worker-calls.ts';
import type { TableSpec } from './workload.ts';

/** A worker that measures a target in its own process: LMDB alone, a database, or an SDK client. */
export interface InProcessCalls {
  readonly [name: string]: (argument: never) => Promise<unknown>;
  readonly open: (target: TargetSpec) => Promise<void>;
  /** @returns how long it took, in seconds. */
  readonly load: (table: TableSpec) => Promise<number>;
  /** Makes one request and returns what is wrong with its answer, or null. */
  readonly check: (argument: Prepared) => Promise<string | null>;
  readonly run: (argument: Prepared & Timing & { readonly firstRequest: number }) => Promise<RunFigures>;
  /** Releases the requests that were made for the runs so far. */
  readonly forget: (argument: null) => Promise<void>;
  readonly close: (argument: null) => Promise<void>;
}

export type TargetSpec =
  | { readonly kind: 'lmdb'; readonly directory: string }
  | { readonly kind: 'singlet'; readonly directory?: string }
  | { readonly kind: 'sdk' };

export interface Prepared {
  readonly ring: RingSpec;
  readonly mode: CallMode;
}

let target: InProcessTarget | undefined;
const rings = new Map<string, RequestRing>();

function opened(): InProcessTarget {
  if (target === undefined) throw new BenchError('usage', 'Nothing is open.');
  return target;
}

function ringOf({ ring: spec, mode }: Prepared): RequestRing {
  const name = JSON.stringify([mode, ringName(spec)]);
  const known = rings.get(name);
  if (known !== undefined) return known;
  const ring = opened().ring(spec, mode);
  rings.set(name, ring);
  return ring;
}

async function openTarget(spec: TargetSpec): Promise<InProcessTarget> {
  switch (spec.kind) {
    case 'lmdb':
      return openLmdbFloor(spec.directory);
    case 'singlet':
      return await openSinglet(spec.directory);
    case 'sdk':
      return openSdk();
  }
}

const calls: InProcessCalls = {
  open: async (spec) => {
    target = await openTarget(spec);
  },
  load: async (table) => {
    const startMs = performance.now();
    await opened().load(table);
    return (performance.now() - startMs) / 1000;
  },
  check: async (prepared) => {
    const ring = ringOf(prepared);
    // The first run undoes this request's changes, because it begins at the same position.
    return ring.fault(0, await ring.perform(0)) ?? null;
  },
  run: async ({ firstRequest, concurrency, warmUpMs, durationMs, ...prepared }) =>
    await closedLoop(ringOf(prepared), { concurrency, warmUpMs, durationMs }, firstRequest),
  forget: async () => rings.clear(),
  close: async () => {
    rings.clear();
    await opened().close();
  },
};

answerCalls(calls);
