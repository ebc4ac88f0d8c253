import type { BenchCase } from './plan.ts';
import type { MemoryUse } from './process-cpu.ts';
import type { RunFigures, Timing } from './run-figures.ts';
import type { ScenarioName } from './scenarios.ts';
import type { TableSpec } from './workload.ts';

export type SubjectId =
  | 'http-floor'
  | 'dynalite-memory'
  | 'dynalite-disk'
  | 'dynoxide-memory'
  | 'dynoxide-disk'
  | 'singlet-memory'
  | 'singlet-disk'
  | 'singlet-signed'
  | 'singlet-workers'
  | 'lmdb'
  | 'in-process-memory'
  | 'in-process-handle'
  | 'in-process-request'
  | 'sdk-http-floor'
  | 'sdk-dynalite'
  | 'sdk-dynoxide'
  | 'sdk-singlet'
  | 'sdk-in-process';

/** How the requests reach a subject: what may be compared with what. */
export type Transport = 'http' | 'in process' | 'sdk';

/** What is known of a subject before anything is measured. */
export interface SubjectInfo {
  readonly id: SubjectId;
  readonly title: string;
  readonly transport: Transport;
  /** The dynalite and the dynoxide that this subject is fairly compared with. */
  readonly peers?: { readonly dynalite: SubjectId; readonly dynoxide: SubjectId };
}

/** Something that is measured: it starts, is filled, and then takes one run after another. */
export interface Subject extends SubjectInfo {
  supports(scenario: ScenarioName): boolean;
  /** @throws {BenchError} when that fails: the subject is then left out. */
  start(): Promise<void>;
  /** Makes a table and fills it, once. */
  fillTable(table: TableSpec): Promise<void>;
  /** Makes ready for the runs of a case and checks one answer. @throws {BenchError} `wrong-answer`. */
  prepare(benchCase: BenchCase): Promise<void>;
  run(benchCase: BenchCase, timing: Timing, firstRequest: number): Promise<RunFigures>;
  /** Lets go of what was made for the cases so far. */
  release(): Promise<void>;
  /** Memory of its processes; undefined where it has none of its own or the system does not tell. */
  memory(): MemoryUse | undefined;
  stop(): Promise<void>;
}
