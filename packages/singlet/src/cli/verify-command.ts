import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import type { BackupTarget } from '../shipping/backup-target.ts';
import type { VerifiedChain } from '../shipping/verify.ts';
import { counted } from '../values/counted.ts';
import { endpointOption, regionOption, reportingBackupErrors } from './backup/backup-options.ts';
import { encryptionKeysOf } from './encryption-key-file.ts';
import { errorOutput } from './error-output.ts';

const explanation = `
Reads every object of a backup, then restores the latest state to a temporary directory and checks it like singlet doctor: every
value, every index entry and its item, counts, streams.

Exit code: 0 if the backup is sound; 2 if something is damaged or missing.`;

const damagedExitCode = 2;

interface VerifyFlags {
  readonly restore: boolean;
  readonly scratch: string;
  readonly json?: boolean;
  readonly encryptionKey?: string;
  readonly s3Endpoint?: string;
  readonly region?: string;
}

export function verifyCommand(): Command {
  return new Command('verify')
    .summary('check that a backup can be restored')
    .description('Checks that a backup is sound, by reading and restoring it.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet verify --help'))
    .argument('<target>', 'a directory, or s3://BUCKET/PREFIX')
    .addOption(new Option('--no-restore', 'only read every object'))
    .addOption(new Option('--scratch <directory>', 'directory for the temporary restore').default(tmpdir()))
    .addOption(new Option('--encryption-key <file>', 'keys of encrypted data'))
    .addOption(new Option('--json', 'print one JSON object'))
    .addOption(endpointOption())
    .addOption(regionOption())
    .addHelpText('after', explanation)
    .action(async (target: string, flags: VerifyFlags) => reportingBackupErrors(() => verifyTarget(target, flags)));
}

async function verifyTarget(url: string, flags: VerifyFlags): Promise<void> {
  const { openTarget } = await import('../shipping/open-target.ts');
  const { verify } = await import('../shipping/verify.ts');
  const { showProgress } = await import('./transfer/progress.ts');
  const target = await openTarget(url, { s3Endpoint: flags.s3Endpoint, region: flags.region });
  const progress = await showProgress('verify', undefined, 'objects');
  let objects = 0;
  try {
    const chains = await verify(target, { onObject: () => progress.update((objects += 1), objects) });
    const findings = flags.restore ? await findingsAfterRestore(target, flags) : [];
    const isSound = findings.length === 0 && chains.every(({ problems }) => problems.length === 0);
    process.stdout.write(
      flags.json === true ? `${JSON.stringify({ isSound, chains, findings })}\n` : textOf(chains, findings),
    );
    if (!isSound) process.exitCode = damagedExitCode;
  } finally {
    progress.stop();
  }
}

/** @returns the problems of the last moment, as sentences. */
async function findingsAfterRestore(
  target: BackupTarget,
  { scratch, encryptionKey }: VerifyFlags,
): Promise<readonly string[]> {
  const { BackupError } = await import('../shipping/backup-error.ts');
  const { restoreDirectory } = await import('../shipping/restore-directory.ts');
  const { examine } = await import('./doctor/examine.ts');
  const parent = await mkdtemp(join(scratch, 'singlet-verify-'));
  try {
    const directory = join(parent, 'data');
    await restoreDirectory(target, directory, { atMs: undefined });
    const nothing = (): void => undefined;
    const { pages, findings } = await examine(directory, {
      repair: false,
      acceptLoss: 'no',
      lines: undefined,
      encryptionKeys: await encryptionKeysOf(encryptionKey),
      onProgress: nothing,
    });
    return [...pages.map(({ page, what }) => `page ${page}: ${what}`), ...findings.map(({ message }) => message)];
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    return [error.message];
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

function textOf(chains: readonly VerifiedChain[], findings: readonly string[]): string {
  const lines = chains.flatMap(({ chain, interval, snapshots, pieces, groups, problems }) => [
    `${chain}: ${counted(snapshots, 'snapshot')}, ${counted(pieces, 'piece')} of the log with ${counted(groups, 'group')}; ${
      interval === undefined
        ? 'it has no finished snapshot'
        : `every moment from ${new Date(interval.fromMs).toISOString()} to ${new Date(interval.toMs).toISOString()}`
    }`,
    ...problems.map((problem) => `damaged: ${problem}`),
  ]);
  return `${[...lines, ...findings.map((finding) => `after restoring: ${finding}`)].join('\n')}\n`;
}
