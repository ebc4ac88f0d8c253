import { readFileSync } from 'node:fs';
import type { CheckReport, Finding, PatternVerdict } from '@singlet/model/check';
import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { type LoadedModel, loadModels } from './load-models.ts';
import { textTable } from './text-table.ts';

interface CheckFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const examples = `
Examples:
  $ singlet check shop.model.ts
  $ singlet check systems --json       every model below a directory, for machines

The exit code is 1 when a pattern is not served as declared, or an error is found; warnings and hints do not fail a check.`;

export function checkCommand(): Command {
  return new Command('check')
    .summary('prove that a model serves its patterns')
    .description(
      'Proves that each access pattern of a model is the bounded operation by key that it is declared to be.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet check --help'))
    .argument('<model>', 'a file that exports models, or a directory with such files')
    .option('--json', 'print the findings and every pattern with its operation as JSON')
    .option('-q, --quiet', 'print errors and warnings only')
    .addHelpText('after', examples)
    .action(async (path: string, flags: CheckFlags) => {
      const { check, placeInFile } = await import('@singlet/model/check');
      const checked = (await loadModels(path)).map((loaded) => ({ loaded, report: check(loaded.model) }));
      const where = ({ file }: LoadedModel, finding: Finding): string => {
        const place = placeInFile(readFileSync(file, 'utf8'), finding.path);
        return place === undefined ? file : `${file}:${place.line}:${place.column}`;
      };
      const text =
        flags.json === true
          ? `${JSON.stringify(
              checked.map(({ loaded, report }) => withPlaces(loaded, report, where)),
              undefined,
              2,
            )}\n`
          : checked.map(({ loaded, report }) => reportText(loaded, report, where, flags.quiet === true)).join('\n');
      process.stdout.write(text);
      if (checked.some(({ report }) => !report.ok)) process.exitCode = 1;
    });
}

type Where = (loaded: LoadedModel, finding: Finding) => string;

function withPlaces(loaded: LoadedModel, report: CheckReport, where: Where): object {
  const findings = report.findings.map((finding) => ({ ...finding, place: where(loaded, finding) }));
  return { file: loaded.file, export: loaded.name, ...report, findings };
}

const signs: Readonly<Record<PatternVerdict['verdict'], string>> = { served: '+', remarked: '~', refused: 'x' };

function reportText(loaded: LoadedModel, report: CheckReport, where: Where, quiet: boolean): string {
  const rows = report.patterns
    .filter(({ verdict }) => !quiet || verdict === 'refused')
    .map(({ verdict, id = '', pattern, served }) => [
      signs[verdict],
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
  const findings = report.findings.filter(
    ({ level }) => level === 'error' || level === 'warning' || (level === 'hint' && !quiet),
  );
  const lines = findings.map(
    (finding) =>
      `${where(loaded, finding)} ${finding.level} ${finding.code}\n  ${finding.message}\n  ${finding.remedy}`,
  );
  const count = (level: Finding['level']): number =>
    report.findings.filter((finding) => finding.level === level).length;
  const served = report.patterns.filter(({ verdict }) => verdict !== 'refused').length;
  const summary = `${report.model}: ${served} of ${report.patterns.length} patterns served as declared; ${count('error')} errors, ${count('warning')} warnings, ${count('hint')} hints, ${count('accepted')} accepted`;
  const usual = patternsHint(report.patterns.length, quiet);
  const tables = [rows, procedures].filter((table) => table.length > 0).map((table) => textTable(table));
  return [...tables, ...lines, summary, ...usual, ''].join('\n');
}

/** Few tables have less than ten access patterns: where there are, some have not been thought of yet. */
function patternsHint(count: number, quiet: boolean): string[] {
  if (quiet || count === 0 || (count >= 10 && count <= 30)) return [];
  const advice = count < 10 ? 'are all of them written down?' : 'do all of them belong together?';
  return [`A model has 10 to 30 patterns as a rule, and this one ${count}: ${advice}`];
}
