import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CheckpointStore } from '@singlet/model/migrate';
import { makeDirectories } from '../../transfer/buckets/index.ts';
import { UsageError } from '../usage-error.ts';
import { fileTextIfPresent } from './accepted-version.ts';

/** The name under which the file records the place of its tables. The checkpoints of a migration have other names. */
const placeName = 'place';

/**
 * Checkpoints in one JSON file. Each replaces the file atomically, so a crash leaves the previous one.
 *
 * @param place - where the tables are. Items that were migrated in one place are not in another.
 * @throws {UsageError} if the file has something else, or the checkpoints of another place.
 */
export function fileCheckpoints(file: string, place: string): CheckpointStore {
  const known = parsed(file);
  const { [placeName]: before = place } = known;
  if (before !== place)
    throw new UsageError(
      `${file} has the checkpoints of ${before}, not of ${place}: name another file with --checkpoints.`,
    );
  known[placeName] = place;
  return {
    read: async (name) => Promise.resolve(known[name]),
    write: async (name, text) => {
      known[name] = text;
      await makeDirectories(dirname(file));
      const next = `${file}.next`;
      const handle = openSync(next, 'w');
      try {
        writeSync(handle, `${JSON.stringify(known, undefined, 2)}\n`);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(next, file);
    },
  };
}

function parsed(file: string): Record<string, string> {
  const text = fileTextIfPresent(file);
  if (text === undefined) return {};
  try {
    return { ...(JSON.parse(text) as Record<string, string>) };
  } catch (error) {
    throw new UsageError(`${file} is not a file of checkpoints.`, { cause: error });
  }
}
