import type { OpenDatabase } from '../testing/databases.ts';

/** What an application that is served over HTTP is started with. */
export interface StartOptions {
  readonly database: Pick<OpenDatabase, 'clientConfig'>;
  /** 0 for any that is free. */
  readonly port: number;
  /** Of the sample data to begin with, in the application's own measure; 0 is none. */
  readonly scale: number;
  readonly say: (line: string) => void;
}
