import { partitionPrefixBytes } from '../store.ts';
import { pageBytes } from './data-file.ts';
import type { MemtableEntry } from './memtable-entries.ts';

/*
 * LMDB divides a full page in its middle, unless the new key is at the very end of the page: then the page stays full, and the key
 * begins the next. So entries that are written in order fill their pages, as long as nothing follows them. But a new partition
 * is between two others. With a single entry of the next one in its page, its keys are always before the last, and each page is left with
 * five of seven, or eight of fifteen.
 *
 * The result depends on how many entries follow the place where a run of keys is written. With exactly the right number the page is divided
 * at that place, the run has the end of a page for itself, and stays there. That number cannot be seen, but it can be raised by one at a
 * time: the last keys of the run are written early, one of them in the time in which half a page is filled. After half a page of
 * them, the right number has occurred. The later ones go to the following page, and do no harm.
 *
 * Decision 0037 says why.
 */

/** What LMDB stores with a key and its value: their lengths, and their place in the page. */
const entryHeadBytes = 10;
/** Longer values have pages of their own. */
const valueBytesMax: number = pageBytes / 2;
/** Shorter runs would end before they gain anything. */
const runPagesMin = 10;
/** A page holds two entries at least. */
const runLengthMin: number = 2 * runPagesMin;

/** Reorders entries that are sorted by key so that LMDB fills its pages better: the last ones of long partitions are written early. */
export function* inPackingOrder(sorted: readonly MemtableEntry[]): Generator<MemtableEntry> {
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    end = partitionEnd(sorted, start);
    if (end - start >= runLengthMin) yield* runInPackingOrder(sorted.slice(start, end));
    else for (let at = start; at < end; at += 1) yield sorted[at] as MemtableEntry; // before the end
  }
}

function runInPackingOrder(run: readonly MemtableEntry[]): Iterable<MemtableEntry> {
  const perPage = entriesPerPage(run);
  return run.length < runPagesMin * perPage ? run : withLastEarly(run, perPage);
}

function* withLastEarly(run: readonly MemtableEntry[], perPage: number): Generator<MemtableEntry> {
  const halfPage = Math.ceil(perPage / 2);
  const last = run.slice(run.length - (perPage - halfPage + 1));
  const early = last.values();
  for (let at = 0; at < run.length - last.length; at += 1) {
    yield run[at] as MemtableEntry; // before the end
    if ((at + 1) % halfPage !== 0) continue;
    const next = early.next();
    if (next.done !== true) yield next.value;
  }
  yield* early;
}

function partitionEnd(sorted: readonly MemtableEntry[], start: number): number {
  const partition = (sorted[start] as MemtableEntry).name.slice(0, partitionPrefixBytes); // the caller's place in the list
  let end = start + 1;
  while (sorted[end]?.name.startsWith(partition) === true) end += 1;
  return end;
}

function entriesPerPage(run: readonly MemtableEntry[]): number {
  let bytes = 0;
  for (const { name, valueBytes } of run) {
    bytes += entryHeadBytes + name.length + (valueBytes > valueBytesMax ? 0 : valueBytes);
  }
  return Math.floor((pageBytes * run.length) / bytes);
}
