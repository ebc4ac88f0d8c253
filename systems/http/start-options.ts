import type { ConnectOptions } from '@singlet/model';
import type { OpenDatabase } from '../testing/databases.ts';
import type { OnAnswer } from './examples.ts';
import type { OnFault } from './faults.ts';
import type { ApplicationLoad } from './load.ts';

/** The options for starting an application over HTTP. */
export interface StartOptions {
  readonly database: Pick<OpenDatabase, 'clientConfig'>;
  /** 0 for any free port. */
  readonly port: number;
  /** A workbench on the same database, which pages link to. */
  readonly workbench?: URL;
  /** Of the initial sample data, in the application's own measure; 0 is none. */
  readonly scale: number;
  readonly say: (line: string) => void;
  readonly onFault: OnFault;
}

/** The same, for an application that creates no client itself. */
export interface ApplicationStart extends StartOptions {
  /** Of the same database. */
  readonly client: ConnectOptions['client'];
  /** Also checks every answer by its declared schema, as tests do. */
  readonly checksAnswers?: boolean;
  /** Receives what operations have answered, for tests. */
  readonly onAnswer?: OnAnswer | undefined;
}

/** An application as `app.ts` and `load.ts` start it: what `http/serve.ts` in its folder exports as `application`. */
export interface Application {
  readonly start: (options: ApplicationStart) => Promise<{ readonly url: string; close(): Promise<void> }>;
  /** For `load.ts`: many callers at once. */
  readonly load: ApplicationLoad;
  /** The sample data at scale 1. */
  readonly atScaleOne: string;
  /** Of the sample data, unless the command line names another. */
  readonly usualScale: number;
  /** Buckets that it exports to. A database that is started for it has them. */
  readonly buckets?: readonly string[];
  /** Its own environment variables. */
  readonly variables?: string;
}
