import {
  chainName,
  chainPrefix,
  chainsPrefix,
  headName,
  logPrefix,
  manifestName,
  numberOf,
  snapshotsPrefix,
} from './backup-names.ts';
import type { SnapshotManifest } from './backup-records.ts';
import type { BackupTarget } from './backup-target.ts';
import { findChainEnd } from './chain-end.ts';

/** A snapshot and its manifest. */
interface KeptSnapshot {
  readonly id: string;
  readonly manifest: SnapshotManifest;
}

/**
 * Removes objects that no moment since `keepFromMs` needs. In the present chain these are snapshots before the last one that is older, and the
 * log before that one; in earlier chains, everything if the chain ended earlier. It never removes the only remaining snapshot.
 *
 * A manifest is removed before the parts that it lists, and a snapshot before the log that it needs, so an interruption at any point leaves a
 * consistent backup.
 */
export async function removeExpired(target: BackupTarget, present: string, keepFromMs: number): Promise<void> {
  const hasSnapshot = await keepSince(target, present, keepFromMs);
  if (!hasSnapshot) return;
  for (const chain of await chainsOf(target)) {
    if (chain >= present) continue;
    const end = await findChainEnd(target, chain);
    if (end !== undefined && end.coveredUntilMs < keepFromMs) await removeChain(target, chain);
    else await keepSince(target, chain, keepFromMs);
  }
}

/** Names of the chains in a target, the oldest first. */
export async function chainsOf(target: BackupTarget): Promise<readonly string[]> {
  const chains = new Set<string>();
  for await (const name of target.names(chainsPrefix)) {
    const [, chain] = name.split('/');
    if (chain !== undefined) chains.add(chain);
  }
  return [...chains];
}

/** Names of the snapshots of a chain, the oldest first. Those without a manifest are unfinished. */
export async function snapshotsOf(
  target: BackupTarget,
  chain: string,
): Promise<readonly { readonly id: string; readonly isFinished: boolean }[]> {
  const found = new Map<string, boolean>();
  for await (const name of target.names(snapshotsPrefix(chain))) {
    const id = name.slice(snapshotsPrefix(chain).length).split('/')[0] ?? '';
    found.set(id, found.get(id) === true || name === manifestName(chain, id));
  }
  return [...found].map(([id, isFinished]) => ({ id, isFinished }));
}

/** @returns whether the chain has a snapshot. */
async function keepSince(target: BackupTarget, chain: string, keepFromMs: number): Promise<boolean> {
  const snapshots = await snapshotsOf(target, chain);
  const finished: KeptSnapshot[] = [];
  for (const { id, isFinished } of snapshots) {
    if (isFinished)
      finished.push({ id, manifest: (await target.read<SnapshotManifest>(manifestName(chain, id))).header });
  }
  const newest = finished.at(-1);
  if (newest === undefined) return false;
  // The last snapshot that precedes every moment to be kept. If there is none, all are needed.
  const first = finished.findLast(({ manifest }) => manifest.validFromMs <= keepFromMs) ?? finished[0] ?? newest;
  for (const { id } of snapshots) {
    // Snapshots without a manifest that began before the newest were abandoned.
    if (id < first.id || (id < newest.id && !finished.some((its) => its.id === id)))
      await removeSnapshot(target, chain, id);
  }
  for await (const name of target.names(logPrefix(chain))) {
    if ((numberOf(name) ?? Infinity) > first.manifest.first.piece) break;
    await target.remove(name);
  }
  return true;
}

async function removeSnapshot(target: BackupTarget, chain: string, id: string): Promise<void> {
  await target.remove(manifestName(chain, id));
  for await (const name of target.names(`${snapshotsPrefix(chain)}${id}/`)) await target.remove(name);
}

async function removeChain(target: BackupTarget, chain: string): Promise<void> {
  for (const { id } of await snapshotsOf(target, chain)) await removeSnapshot(target, chain, id);
  for await (const name of target.names(logPrefix(chain))) await target.remove(name);
  await target.remove(headName(chain));
  await target.remove(chainName(chain));
  for await (const name of target.names(chainPrefix(chain))) await target.remove(name);
}
