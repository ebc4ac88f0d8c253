import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { StorageError } from '../storage/index.ts';
import type { Examination } from './doctor/examine.ts';
import { describeLog } from './doctor/describe-log.ts';
import { encryptionKeysOf } from './encryption-key-file.ts';
import { urlFlag } from './endpoint-client.ts';
import { errorOutput } from './error-output.ts';
import { systemProblem } from './system-problem.ts';
import { counted } from '../values/counted.ts';
import { UsageError } from './usage-error.ts';

const explanation = `
Checks every page of the data file, the write-ahead log, the checksum of every value, every index entry and its item, counts and
sizes, expiry entries, streams, and the records of tables, streams, backups and jobs. The server must not be running.

--endpoint lets a running server check its data: every value against its checksum, index and expiry entries against items
and vice versa, counts. The findings are as certain; repair them offline. Change logs and pages are checked offline only.
A server with --auth requires singlet:StartScrub and singlet:GetScrub of the credentials in AWS_ACCESS_KEY_ID or AWS_PROFILE.

--repair rebuilds what can be derived from sound items: index and expiry entries, counts, sizes of item collections, fences
and the usage of accounts. Items are never changed, removed or guessed.
--accept-loss discards the damaged part of the write-ahead log: it applies what comes before the damage, writes what can be read
after it to salvage-TIME.jsonl in the directory, and moves the log files aside. --apply-behind-hole also applies the latter, and
rebuilds what can be derived from items.
--export writes every readable item to a new file, even from a data file with damaged pages, as lines of
{"table": …, "item": …}.

Exit code: 0 all is sound; 1 something was or can be repaired (--repair), and nothing is lost; 2 something is lost; 3 nothing
was checked, because the directory cannot be read or the command was called wrongly.`;

const exitCodes = { sound: 0, repairable: 1, loss: 2, unreadable: 3 } as const;

/** The number of findings printed individually; --json prints all. */
const printedMax = 200;

interface DoctorFlags {
  readonly repair?: boolean;
  readonly acceptLoss?: boolean;
  readonly applyBehindHole?: boolean;
  readonly export?: string;
  readonly encryptionKey?: string;
  readonly json?: boolean;
  readonly endpoint?: string;
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .summary('check the data of a directory or a server, and repair what can be derived')
    .description('Checks the data in a directory, and repairs what can be derived; or checks a running server.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet doctor --help'))
    .argument('[directory]', 'directory of the data')
    .addOption(
      new Option('--endpoint <url>', 'the server to check, instead of a directory')
        .conflicts(['repair', 'acceptLoss', 'applyBehindHole', 'export'])
        .argParser(urlFlag('--endpoint')),
    )
    .addOption(new Option('--repair', 'rebuild what can be derived from sound items'))
    .addOption(new Option('--accept-loss', 'discard the damaged part of the write-ahead log'))
    .addOption(new Option('--apply-behind-hole', 'the same, and apply what can be read after the damage'))
    .addOption(new Option('-e, --export <file>', 'write all readable items to a new file'))
    .addOption(new Option('--encryption-key <file>', 'keys of encrypted data'))
    .addOption(new Option('--json', 'print one JSON object'))
    .addHelpText('after', explanation)
    .action(async (directory: string | undefined, flags: DoctorFlags) => {
      if ((directory === undefined) === (flags.endpoint === undefined)) {
        throw new UsageError('singlet doctor takes either a directory or --endpoint.');
      }
      if (flags.endpoint !== undefined) await examineRunning(flags.endpoint, flags.json === true);
      else await doctor(resolve(directory ?? ''), flags);
    });
}

async function examineRunning(endpoint: string, asJson: boolean): Promise<void> {
  const { examineServer } = await import('./doctor/examine-server.ts');
  const { showProgress } = await import('./transfer/progress.ts');
  const progress = await showProgress('doctor', undefined, 'entries');
  try {
    const report = await examineServer(endpoint, (entries) => progress.update(entries, entries));
    const { findings, findingCount, tables, entries, failure } = report;
    const isLost = findings.some(({ outcome }) => outcome === 'loss');
    process.exitCode = findingCount === 0 ? exitCodes.sound : isLost ? exitCodes.loss : exitCodes.repairable;
    if (failure !== undefined) process.exitCode = exitCodes.unreadable;
    const lines = [
      ...findings.map(({ outcome, message, key }) => {
        const what = outcome === 'loss' ? 'lost' : 'can be repaired, once the server is stopped';
        return `${what}: ${message}${key === undefined ? '' : ` Key: ${key}`}`;
      }),
      ...(findingCount > findings.length ? [`and ${findingCount - findings.length} more`] : []),
      ...(failure === undefined ? [] : [`The check ended early: ${failure}`]),
      `${counted(tables, 'table')} and ${countedEntries(entries)} checked${findingCount === 0 && failure === undefined ? ': all is sound.' : '.'}`,
    ];
    process.stdout.write(asJson ? `${JSON.stringify(report)}\n` : `${lines.join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`singlet: ${error.message}\n`);
    process.exitCode = exitCodes.unreadable;
  } finally {
    progress.stop();
  }
}

async function doctor(directory: string, flags: DoctorFlags): Promise<void> {
  if (flags.export !== undefined && existsSync(flags.export)) {
    throw new UsageError(`The file ${flags.export} exists: name a new one.`);
  }
  const { examine } = await import('./doctor/examine.ts');
  const { ItemLines } = await import('./doctor/item-lines.ts');
  const { showProgress } = await import('./transfer/progress.ts');
  const lines = flags.export === undefined ? undefined : new ItemLines(flags.export);
  const progress = await showProgress('doctor', undefined, 'entries');
  try {
    const examination = await examine(directory, {
      repair: flags.repair === true || flags.applyBehindHole === true,
      acceptLoss: flags.applyBehindHole === true ? 'apply' : flags.acceptLoss === true ? 'leave' : 'no',
      lines,
      encryptionKeys: await encryptionKeysOf(flags.encryptionKey),
      onProgress: (_what, done) => progress.update(done, done),
    });
    print(examination, { ...flags, exported: lines?.count });
    process.exitCode = exitCodeOf(examination);
  } catch (error) {
    const problem = error instanceof StorageError ? error.message : systemProblem(error);
    if (problem === undefined) throw error;
    process.stderr.write(`singlet: ${problem}\n`);
    process.exitCode = exitCodes.unreadable;
  } finally {
    progress.stop();
    lines?.close();
  }
}

function countedEntries(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
}

function exitCodeOf({ pages, log, findings, left }: Examination): number {
  if (log?.refusal !== undefined) return exitCodes.loss;
  if (pages.length > 0 || findings.some(({ outcome }) => outcome === 'loss')) return exitCodes.loss;
  if (left?.some(({ outcome }) => outcome === 'loss') === true) return exitCodes.loss;
  return findings.length === 0 ? exitCodes.sound : exitCodes.repairable;
}

function print(examination: Examination, flags: DoctorFlags & { readonly exported: number | undefined }): void {
  const { pages, log, tableCount, entryCount, findings, left } = examination;
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ ...examination, exported: flags.exported })}\n`);
    return;
  }
  const lines = [
    ...(log === undefined ? [] : describeLog(log)),
    ...pages.map(({ page, what }) => `lost: page ${page} cannot be used, because ${what}`),
    ...findings.slice(0, printedMax).map(({ outcome, message, key }) => {
      const what = outcome === 'loss' ? 'lost' : left !== undefined ? 'repaired' : 'can be repaired';
      return `${what}: ${message}${key === undefined ? '' : ` Key: ${key}`}`;
    }),
    ...(findings.length > printedMax ? [`and ${findings.length - printedMax} more; --json prints all`] : []),
    ...(left?.map(({ message }) => `not repaired: ${message}`) ?? []),
    ...(flags.exported === undefined ? [] : [`${counted(flags.exported, 'item')} written to ${flags.export}`]),
    `${counted(tableCount, 'table')} and ${countedEntries(entryCount)} checked: ${summary(examination)}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function summary({ pages, log, findings }: Examination): string {
  if (pages.length > 0) {
    return `the data file is damaged. Restore it from a backup, or save what can be read with --export.`;
  }
  if (log?.refusal !== undefined && log.repair === undefined) return 'the write-ahead log is damaged.';
  const lost = findings.filter(({ outcome }) => outcome === 'loss').length;
  const other = findings.length - lost;
  if (findings.length === 0) return 'all is sound.';
  return `${lost} lost, ${other} that can be derived from sound data.`;
}
