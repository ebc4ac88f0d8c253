import {
  entriesIn,
  entryHeadBytes,
  type FoundHead,
  groupHeadBytes,
  isWholeGroup,
  logFileNames,
  readGroupHead,
  witnessBlockBytes,
  writeGroupHead,
} from '../../src/storage/lmdb/write-ahead-log-format.ts';
import type { SeededRandom } from '../../src/randomness/seeded-random.ts';
import type { SimulatedFiles } from '../../src/storage/testing/simulated-files.ts';
import { firstDataSpace, hashBytes, spaceOf } from '../../src/engine/layout/spaces.ts';

/** Groups that must follow before the earlier ones are certain to have been on disk: two are in flight at a time. */
const groupsBehind = 3;

/** Changes one bit of the stored value of an item, an index entry or a stream record. @returns false if none exists. */
export function damageValue(entries: Map<string, Buffer>, random: SeededRandom): boolean {
  const values = [...entries].filter(
    ([key, value]) =>
      key.length > hashBytes && spaceOf(Buffer.from(key, 'latin1')) >= firstDataSpace && value.length > 0,
  );
  const [key, value] = values[random.integer(0, Math.max(0, values.length - 1))] ?? [];
  if (key === undefined || value === undefined) return false;
  const damaged = Buffer.from(value);
  const at = random.integer(0, damaged.length - 1);
  damaged[at] = damaged[at]! ^ (1 << random.integer(0, 7)); // within
  entries.set(key, damaged);
  return true;
}

/**
 * Damages a group of the write-ahead log that others follow: zeros its first bytes, or removes its last entry and recomputes its own checksum,
 * as if an older state of it had come back.
 *
 * @returns false if no log has enough groups.
 */
export function damageLog(files: SimulatedFiles, directory: string, random: SeededRandom): boolean {
  for (const name of logFileNames) {
    const inode = files.inode(`${directory}/${name}`);
    if (inode === undefined) continue;
    const groups = groupsOf(inode.bytes);
    // The last possible one: later groups seldom repeat its contents.
    const chosen = groups.slice(1, -groupsBehind).at(-1);
    if (chosen === undefined) continue;
    const shorter = random.chance(0.5) ? withoutLastEntry(inode.bytes, chosen) : undefined;
    if (shorter === undefined) inode.bytes.fill(0, chosen.offset, chosen.offset + groupHeadBytes);
    else inode.bytes = shorter;
    return true;
  }
  return false;
}

function groupsOf(file: Buffer): FoundHead[] {
  const groups: FoundHead[] = [];
  for (let offset = witnessBlockBytes; ;) {
    const head = readGroupHead(file, offset);
    if (head === undefined || head.number !== groups.length || !isWholeGroup(file, head)) return groups;
    if (groups[0] !== undefined && !head.nonce.equals(groups[0].nonce)) return groups;
    groups.push(head);
    offset += head.length;
  }
}

/** The file with a group that lacks its last entry. Undefined if the group has only one. */
function withoutLastEntry(file: Buffer, head: FoundHead): Buffer | undefined {
  const { offset, length } = head;
  const entries = entriesIn(file.subarray(offset + groupHeadBytes, offset + length));
  const last = entries.pop();
  if (last === undefined || entries.length === 0) return undefined;
  const lastBytes = entryHeadBytes + last.key.length + (last.value?.length ?? 0);
  const group = Buffer.from(file.subarray(offset, offset + length - lastBytes));
  writeGroupHead(group, head);
  return Buffer.concat([file.subarray(0, offset), group, file.subarray(offset + length), Buffer.alloc(lastBytes)]);
}
