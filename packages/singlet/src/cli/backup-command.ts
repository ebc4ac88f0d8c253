import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { isDirectoryInUse } from '../storage/lmdb/directory-users.ts';
import { errorOutput } from './error-output.ts';
import { endpointOption, reportingBackupErrors, regionOption } from './backup/backup-options.ts';
import { dataFileExists } from './backup/data-file-exists.ts';
import { durationOf } from './duration.ts';
import { UsageError } from './usage-error.ts';

const explanation = `
TARGET is a directory, or s3://BUCKET/PREFIX. A running server writes its own backup: singlet serve --backup-to TARGET. This
command writes a snapshot of a directory that no server is using, and the contents of its log, to the same kind of target.
Restore it with singlet restore.

Examples:
  $ singlet backup /mnt/backups/shop --data /var/lib/shop
  $ singlet backup s3://backups/shop --data /var/lib/shop --region eu-west-1`;

interface BackupFlags {
  readonly data: string;
  readonly s3Endpoint?: string;
  readonly region?: string;
  readonly keep: number;
}

export function backupCommand(): Command {
  return new Command('backup')
    .summary('copy the data of a directory to a backup target')
    .description('Writes a snapshot of a data directory, which no server may be using, to a backup target.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet backup --help'))
    .argument('<target>', 'a directory, or s3://BUCKET/PREFIX')
    .addOption(new Option('-d, --data <directory>', 'directory of the data').default('./singlet-data'))
    .addOption(endpointOption())
    .addOption(regionOption())
    .addOption(
      new Option('--keep <time>', 'how far back any point in time can be restored')
        .default(durationOf('7d', '--keep'), '7d')
        .argParser((text) => durationOf(text, '--keep')),
    )
    .addHelpText('after', explanation)
    .action(async (target: string, flags: BackupFlags) => reportingBackupErrors(() => backup(target, flags)));
}

/** A command ends soon when its target has no room or permission; a server tries again for hours. */
const attemptsMax = 4;

async function backup(url: string, flags: BackupFlags): Promise<void> {
  const directory = resolve(flags.data);
  if (!dataFileExists(directory)) throw new UsageError(`The directory ${directory} has no data file.`);
  if (await isDirectoryInUse(directory)) {
    throw new UsageError(
      `A server uses ${directory}: stop it first, or start it with --backup-to ${url}, so that it writes the backup itself.`,
    );
  }
  const { openBackedUpStore } = await import('../shipping/open-backed-up-store.ts');
  const { openTarget } = await import('../shipping/open-target.ts');
  const options = { s3Endpoint: flags.s3Endpoint, region: flags.region, create: true };
  // First, because the backup would wait for a target that does not exist.
  await openTarget(url, options);
  const { store, shipper } = await openBackedUpStore({
    directory,
    url,
    openTarget: () => openTarget(url, options),
    attemptsMax,
    settings: { everyMs: 1_000, snapshotEveryMs: Infinity, keepMs: flags.keep },
    log: ({ level, event, message, why }) => {
      // A refusal ends the command, which then says the same.
      if (level !== 'info' && event !== 'backup-refused')
        process.stderr.write(`singlet: ${event}: ${String(message ?? why)}\n`);
    },
  });
  let manifest;
  try {
    manifest = await shipper.snapshot();
  } finally {
    await shipper.close(() => store.close());
  }
  const parts = manifest?.parts ?? [];
  const entries = parts.reduce((sum, part) => sum + part.entries, 0);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  process.stdout.write(`${entries} entries, ${bytes} bytes, are in ${url}.\n`);
}
