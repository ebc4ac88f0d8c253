import { BenchError } from './bench-error.ts';
import { closedLoop } from './closed-loop.ts';
import { openLmdbFloor } from './floors.ts';
import type { CallMode, InProcessTarget, RequestRing } from './in-process-target.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import type { ScenarioName } from './scenarios.ts';
import { openSdk } from './sdk-target.ts';
import { openSinglet } from './singlet-target.ts';
import { answerCalls } from './worker-calls.ts';

/** A worker that measures what it holds itself: LMDB alone, a database in process, or an SDK client. */
export interface InProcessCalls {
  readonly [name: string]: (argument: never) => Promise<unknown>;
  readonly open: (target: TargetSpec) => Promise<void>;
  readonly load: (argument: { readonly itemCount: number }) => Promise<void>;
  /** Makes one request and gives back what is wrong with its answer; null when nothing is. */
  readonly check: (argument: Prepared) => Promise<string | null>;
  readonly run: (argument: Prepared & Timing & { readonly firstRequest: number }) => Promise<RunFigures>;
  readonly close: (argument: null) => Promise<void>;
}

export type TargetSpec =
  | { readonly kind: 'lmdb'; readonly directory: string }
  | { readonly kind: 'singlet'; readonly directory?: string }
  | { readonly kind: 'sdk' };

export interface Prepared {
  readonly scenario: ScenarioName;
  readonly mode: CallMode;
  readonly itemCount: number;
}

let target: InProcessTarget | undefined;
let scenarioInMemory: ScenarioName | undefined;
const rings = new Map<string, RequestRing>();

function opened(): InProcessTarget {
  if (target === undefined) throw new BenchError('usage', 'Nothing is open.');
  return target;
}

/** The ring of one scenario and mode; those of the scenario before are let go. */
async function ringOf({ scenario, mode, itemCount }: Prepared): Promise<RequestRing> {
  if (scenario !== scenarioInMemory) rings.clear();
  scenarioInMemory = scenario;
  const name = JSON.stringify([mode, itemCount]);
  const known = rings.get(name);
  if (known !== undefined) return known;
  const ring = await opened().ring(scenario, mode, itemCount);
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
  load: async ({ itemCount }) => await opened().load(itemCount),
  check: async (prepared) => (await (await ringOf(prepared)).fault()) ?? null,
  run: async ({ firstRequest, concurrency, warmUpMs, durationMs, ...prepared }) =>
    await closedLoop(await ringOf(prepared), { concurrency, warmUpMs, durationMs }, firstRequest),
  close: async () => {
    rings.clear();
    await opened().close();
  },
};

answerCalls(calls);
