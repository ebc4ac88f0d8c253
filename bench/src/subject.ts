import type { RunFigures, Timing } from './run-figures.ts';
import type { Scenario, ScenarioName } from './scenarios.ts';

export type SubjectId =
  | 'http-floor'
  | 'dynalite-memory'
  | 'dynalite-disk'
  | 'singlet-memory'
  | 'singlet-disk'
  | 'lmdb'
  | 'in-process-memory'
  | 'in-process-handle'
  | 'in-process-request'
  | 'sdk-http-floor'
  | 'sdk-dynalite'
  | 'sdk-singlet'
  | 'sdk-in-process';

/** How the requests reach a subject: what may be compared with what. */
export type Transport = 'http' | 'in process' | 'sdk';

/** What is known of a subject before anything is measured. */
export interface SubjectInfo {
  readonly id: SubjectId;
  readonly title: string;
  readonly transport: Transport;
  /** The dynalite that this subject is fairly compared with. */
  readonly peer?: SubjectId;
}

/** Something that is measured: it starts, is filled, and then takes one run after another. */
export interface Subject extends SubjectInfo {
  supports(scenario: ScenarioName): boolean;
  /** Starts and fills it. @throws {BenchError} when that fails: the subject is then left out. */
  start(): Promise<void>;
  /** Makes ready for the runs of a scenario and checks one answer. @throws {BenchError} `wrong-answer`. */
  prepare(scenario: Scenario): Promise<void>;
  run(scenario: Scenario, timing: Timing, firstRequest: number): Promise<RunFigures>;
  /** Resident memory of its process, bytes; undefined where it has none of its own or the system does not tell. */
  memoryBytes(): number | undefined;
  stop(): Promise<void>;
}
