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

/** How requests reach a subject. Only subjects with the same transport can be compared. */
export type Transport = 'http' | 'in process' | 'sdk';

/** What is known about a subject before it is measured. */
export interface SubjectInfo {
  readonly id: SubjectId;
  readonly title: string;
  readonly transport: Transport;
  /** The dynalite and dynoxide subjects that are a fair comparison. */
  readonly peers?: { readonly dynalite: SubjectId; readonly dynoxide: SubjectId };
}

/** A subject of the measurement: it starts, is filled, and then performs one run after another. */
export interface Subject extends SubjectInfo {
  supports(scenario: ScenarioName): boolean;
  /** @throws {BenchError} when that fails. The subject is then left out. */
  start(): Promise<void>;
  /** Creates a table and fills it, once. */
  fillTable(table: TableSpec): Promise<void>;
  /** Prepares for the runs of a case and checks one answer. @throws {BenchError} `wrong-answer`. */
  prepare(benchCase: BenchCase): Promise<void>;
  run(benchCase: BenchCase, timing: Timing, firstRequest: number): Promise<RunFigures>;
  /** Releases what was prepared for the cases so far. */
  release(): Promise<void>;
  /** Memory of its processes; undefined if it has none of its own or the system does not report it. */
  memory(): MemoryUse | undefined;
  stop(): Promise<void>;
}
