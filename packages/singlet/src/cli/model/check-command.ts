import { existsSync } from 'node:fs';
import type { CheckReport, Finding, PatternVerdict } from '@singlet/model/check';
import { Command } from 'commander';
import { counted } from '../../values/counted.ts';
import { errorOutput } from '../error-output.ts';
import { UsageError } from '../usage-error.ts';
import { type FindingLocator, loadFindingLocator } from './finding-locator.ts';
import { type LoadedModel, loadUsableModels, modelFiles } from './load-models.ts';
import { changeOf, fingerprintsOf } from './model-fingerprint.ts';
import { textTable } from './text-table.ts';

interface CheckFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly watch?: boolean;
}

const examples = `
Examples:
  $ singlet check shop.model.ts
  $ singlet check systems --json       every model below a directory, as JSON
  $ singlet check shop.model.ts --watch

A pattern is marked + if it is proven, ~ if there are remarks as well, ? if the model declares it unproven, and x if it is refused. Findings that
the model accepts are listed with the reason. The exit code is 1 if a pattern is not served as declared, or an error is found; warnings and hints do not fail a check. It is also 1 if a file
cannot be run, and the others are checked: with --json, it is an entry with an error.`;

export function checkCommand(): Command {
  return new Command('check')
    .summary('prove that a model serves its patterns')
    .description(
      'Proves that each access pattern of a model is the bounded operation by key that it is declared to be.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet check --help'))
    .argument('<model>', 'a file that exports models, or a directory with such files')
    .option('--json', 'print findings, and the operation, key ranges and cost of every pattern, as JSON')
    .option('-q, --quiet', 'print errors and warnings only')
    .option('-w, --watch', 'check again whenever a file beside the model changes, until Ctrl-C')
    .addHelpText('after', examples)
    .action(async (path: string, flags: CheckFlags) => {
      if (flags.watch === true) await watch(path, flags);
      else if (!(await checkOnce(path, flags))) process.exitCode = 1;
    });
}

/**
 * Checks all models, also beside a file that cannot be run.
 *
 * @returns whether there were no errors.
 * @throws {UsageError} if a file cannot be run, after the others were reported.
 */
async function checkOnce(path: string, flags: CheckFlags, isFresh = false): Promise<boolean> {
  const { check } = await import('@singlet/model/check');
  const where = await loadFindingLocator();
  const { models, faults } = await loadUsableModels(path, { isFresh, isChecked: true });
  const checked = models.map((loaded) => ({ loaded, report: check(loaded.model) }));
  const text =
    flags.json === true
      ? `${JSON.stringify(
          [
            ...(await Promise.all(checked.map(async ({ loaded, report }) => described(loaded, report, where)))),
            ...faults.map(({ file, error }) => ({ file, ok: false, error: error.message, patterns: [], findings: [] })),
          ],
          undefined,
          2,
        )}\n`
      : checked.map(({ loaded, report }) => reportText(loaded, report, where, flags.quiet === true)).join('\n');
  process.stdout.write(text);
  if (faults.length > 0) throw new UsageError(faults.map(({ error }) => error.message).join('\n'));
  return checked.every(({ report }) => report.ok);
}

/** Checks whenever a file in the model's directory has changed, until the process ends. */
async function watch(path: string, flags: CheckFlags): Promise<never> {
  if (flags.json === true) throw new UsageError('--watch cannot be combined with --json.');
  for (;;) {
    // Changes made during a check cause another one. A path that does not exist yet may be created.
    const files = existsSync(path) ? [path, ...modelFiles(path)] : [path];
    const before = fingerprintsOf(files);
    try {
      await checkOnce(path, flags, true);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      process.stdout.write(`${error.message}\n`);
    }
    process.stdout.write('\nWaiting for changes; press Ctrl-C to stop.\n\n');
    await changeOf(files, before);
  }
}

/** For machines: findings with their places in the file, and for each pattern its requests by key and the cost of a call. */
async function described(loaded: LoadedModel, report: CheckReport, where: FindingLocator): Promise<object> {
  const { explainAll } = await import('@singlet/model/cost');
  // Of a malformed model there is nothing to explain.
  const explained = report.patterns.length === 0 ? [] : explainAll(loaded.model);
  const explanations = new Map(explained.map((each) => [each.pattern, each]));
  const findings = report.findings.map((finding) => ({ ...finding, place: where(loaded, finding) }));
  const patterns = report.patterns.map((verdict) => {
    const { ranges, cost } = explanations.get(verdict.pattern) ?? {};
    return { ...verdict, ...(ranges !== undefined && { ranges }), ...(cost !== undefined && { cost }) };
  });
  return { file: loaded.file, export: loaded.name, ...report, patterns, findings };
}

const signs: Readonly<Record<PatternVerdict['verdict'], string>> = { served: '+', remarked: '~', refused: 'x' };

function reportText(loaded: LoadedModel, report: CheckReport, where: FindingLocator, quiet: boolean): string {
  const rows = report.patterns
    .filter(({ verdict }) => !quiet || verdict === 'refused')
    .map(({ verdict, id = '', pattern, served, unproven }) => [
      unproven !== undefined && verdict !== 'refused' ? '?' : signs[verdict],
      id,
      pattern,
      served === undefined ? 'not served' : `${served.operation} on ${served.place}`,
      served === undefined || served.operation !== 'Query' || served.requests === 1 ? '' : `x${served.requests}`,
      served?.keyCondition ?? '',
    ]);
  const procedures = report.procedures
    .filter(({ verdict }) => !quiet || verdict === 'refused')
    .map(({ verdict, id = '', procedure, takes, scans = {} }) => {
      const parts = [...takes, ...Object.keys(scans).map((place) => `Scan ${place}`)];
      return [signs[verdict], id, procedure, parts.join(', ')];
    });
  const findings = report.findings.filter(({ level }) => level === 'error' || level === 'warning' || !quiet);
  const lines = findings.map(
    (finding) =>
      `${where(loaded, finding)} ${finding.level} ${finding.code}\n  ${finding.message}\n  ${finding.because === undefined ? finding.remedy : `Accepted: ${finding.because}`}`,
  );
  const count = (level: Finding['level']): number =>
    report.findings.filter((finding) => finding.level === level).length;
  const served = report.patterns.filter(({ verdict }) => verdict !== 'refused').length;
  const unproven = report.patterns.filter((each) => each.unproven !== undefined && each.verdict !== 'refused').length;
  const summary = `${report.model}: ${served} of ${report.patterns.length} patterns served as declared${unproven === 0 ? '' : `, ${unproven} of them unproven`}; ${counted(count('error'), 'error')}, ${counted(count('warning'), 'warning')}, ${counted(count('hint'), 'hint')}, ${count('accepted')} accepted`;
  const usual = patternsHint(report.patterns.length, quiet);
  const tables = [rows, procedures].filter((table) => table.length > 0).map((table) => textTable(table));
  return [...tables, ...lines, summary, ...usual, ''].join('\n');
}

/** Few applications have less than ten access patterns per table, so with fewer some are probably missing. */
function patternsHint(count: number, quiet: boolean): string[] {
  if (quiet || count === 0 || (count >= 10 && count <= 30)) return [];
  const advice = count < 10 ? 'are any missing?' : 'do they all belong together?';
  return [`A model usually has 10 to 30 patterns; this one has ${count}: ${advice}`];
}
