import { bundleWith } from './faulty-prover.ts';
import type { migrateScript } from './migrate-script.ts';
import type { ProverFault } from './prover-faults.ts';
import type { MigrationScript } from './random-migration.ts';

/** The function that migrates a pair of versions, with or without a fault. */
export interface Migrator {
  readonly migrateScript: typeof migrateScript;
}

/** A pair of versions whose migration goes wrong with a fault, and the seed of its items and interruptions. */
export interface MigrationWitness {
  readonly seed: number;
  readonly script: MigrationScript;
}

/** Bundles the sources with one piece replaced. */
export async function migratorWith(fault: ProverFault | undefined, name: string): Promise<Migrator> {
  return (await bundleWith(fault, name, `export { migrateScript } from './migrate-script.ts';`)) as Migrator;
}
