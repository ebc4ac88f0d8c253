/**
 * How much of the data file is checked before it is opened. `quick`: meta and branch pages, and that the file is not too short.
 * `full`: every page. `auto`: full for files of up to 256 MB, and of up to 4 GB after a process ended without closing the directory; else quick.
 */
export type CheckAtStart = 'auto' | 'full' | 'quick';

/** The values of {@link CheckAtStart}, for option parsers. */
export const checksAtStart: readonly CheckAtStart[] = ['auto', 'full', 'quick'];
