import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { endpointOption, regionOption, reportingBackupErrors } from './backup/backup-options.ts';
import { errorOutput } from './error-output.ts';
import { UsageError } from './usage-error.ts';

const explanation = `
TARGET is a directory, or s3://BUCKET/PREFIX, written by singlet serve --backup-to or singlet backup. The new directory has the
state of that moment: every write acknowledged until then, and none requested later. If the backup does not cover the moment, or
an object is damaged or missing, the command fails and says which moments can be restored. The directory appears when it is
complete.

Examples:
  $ singlet restore /mnt/backups/shop --data /var/lib/shop-again
  $ singlet restore s3://backups/shop --at 2026-03-01T12:00:00Z --data shop-at-noon`;

interface RestoreFlags {
  readonly at?: number;
  readonly data: string;
  readonly s3Endpoint?: string;
  readonly region?: string;
}

export function restoreCommand(): Command {
  return new Command('restore')
    .summary('restore a directory from a backup, as of any point in time')
    .description('Creates a data directory from a backup, as of a point in time.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet restore --help'))
    .argument('<target>', 'a directory, or s3://BUCKET/PREFIX')
    .requiredOption('-d, --data <directory>', 'the directory to create')
    .addOption(
      new Option('--at <time>', 'the point in time, such as 2026-03-01T12:00:00Z; by default the latest').argParser(
        momentOf,
      ),
    )
    .addOption(endpointOption())
    .addOption(regionOption())
    .addHelpText('after', explanation)
    .action(async (target: string, flags: RestoreFlags) => reportingBackupErrors(() => restore(target, flags)));
}

async function restore(url: string, flags: RestoreFlags): Promise<void> {
  const directory = resolve(flags.data);
  if (existsSync(directory)) throw new UsageError(`${directory} exists: name a directory that does not.`);
  const parent = dirname(directory);
  if (!existsSync(parent)) throw new UsageError(`${directory} cannot be created: ${parent} does not exist.`);
  const { openTarget } = await import('../shipping/open-target.ts');
  const { restoreDirectory } = await import('../shipping/restore-directory.ts');
  const { showProgress } = await import('./transfer/progress.ts');
  const target = await openTarget(url, { s3Endpoint: flags.s3Endpoint, region: flags.region });
  const progress = await showProgress('restore', undefined, 'MB');
  try {
    const restored = await restoreDirectory(target, directory, {
      atMs: flags.at,
      onProgress: (bytes) => progress.update(bytes, Math.floor(bytes / 1e6)),
    });
    const moment = new Date(restored.restoredToMs).toISOString();
    for (const note of restored.notes) process.stderr.write(`singlet: ${note}\n`);
    process.stdout.write(
      `${directory} is as the database was at ${moment}: ${restored.entries} entries, ${restored.groups} groups of the log.\n`,
    );
  } finally {
    progress.stop();
  }
}

function momentOf(text: string): number {
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms) || !/(Z|[+-]\d\d:\d\d)$/.test(text)) {
    throw new UsageError(`--at takes a time such as 2026-03-01T12:00:00Z, with its zone, not ${JSON.stringify(text)}.`);
  }
  return ms;
}
