/*
 * What a target holds:
 *
 *     database                         which database this is
 *     chains/<chain>/chain             begins a chain: backups without a gap in time
 *     chains/<chain>/log/<n>           the log, in pieces, from 0 on
 *     chains/<chain>/head              how far the chain had come, now and then
 *     chains/<chain>/snapshots/<id>/<n>       a snapshot, in parts
 *     chains/<chain>/snapshots/<id>/manifest  written when all parts are there: without it there is no snapshot
 *
 * Names of chains and snapshots begin with their time, so that they are listed in its order.
 */
export const databaseName = 'database';
export const chainsPrefix = 'chains/';

const numberDigits = 10;

export const chainPrefix = (chain: string): string => `${chainsPrefix}${chain}/`;
export const chainName = (chain: string): string => `${chainPrefix(chain)}chain`;
export const headName = (chain: string): string => `${chainPrefix(chain)}head`;
export const logPrefix = (chain: string): string => `${chainPrefix(chain)}log/`;
export const pieceName = (chain: string, piece: number): string => `${logPrefix(chain)}${numbered(piece)}`;
export const snapshotsPrefix = (chain: string): string => `${chainPrefix(chain)}snapshots/`;
export const snapshotPrefix = (chain: string, snapshot: string): string => `${snapshotsPrefix(chain)}${snapshot}/`;
export const partName = (chain: string, snapshot: string, part: number): string =>
  `${snapshotPrefix(chain, snapshot)}${numbered(part)}`;
export const manifestName = (chain: string, snapshot: string): string => `${snapshotPrefix(chain, snapshot)}manifest`;

/** A unique name that begins with a time. */
export function timedName(ms: number, random: string): string {
  return `${new Date(ms).toISOString().replaceAll(/[-:.]/g, '')}-${random}`;
}

/** The time that a name begins with, milliseconds since 1970; undefined if it does not begin with a time. */
export function timeOfName(name: string): number | undefined {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-/.exec(name) ?? [];
  const [year = 0, month = 1, day, hour, minute, second, ms] = parts.map(Number);
  return parts.length === 0 ? undefined : Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

/** The number at the end of a name; undefined if there is none. */
export function numberOf(name: string): number | undefined {
  const digits = name.slice(name.lastIndexOf('/') + 1);
  return /^\d{10}$/.test(digits) ? Number(digits) : undefined;
}

function numbered(value: number): string {
  return String(value).padStart(numberDigits, '0');
}
