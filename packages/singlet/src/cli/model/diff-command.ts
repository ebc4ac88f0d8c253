import type { Change } from '@singlet/model/versions';
import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { acceptedVersion } from './accepted-version.ts';
import { loadModel } from './load-models.ts';
import { textTable } from './text-table.ts';

interface DiffFlags {
  readonly model?: string;
  readonly accepted?: string;
  readonly json?: boolean;
  readonly check?: boolean;
}

const examples = `
Examples:
  $ singlet diff shop.model.ts
  $ singlet diff shop.model.ts --check     fails if stored items have to change

Classes: nothing, lazy (reading fills it in), new-collection, new-index, backfill (items are written again), re-key (items move),
by-hand.`;

export function diffCommand(): Command {
  return new Command('diff')
    .summary('show what a change of a model requires of stored items')
    .description(
      'Compares a model with its accepted version, and classifies each change by what it requires of stored items.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet diff --help'))
    .argument('<model>', 'a file that exports a model')
    .option('--model <name>', 'name of the model, if the file exports several')
    .option('--accepted <file>', 'the version to compare with; by default NAME.accepted.json beside the model')
    .option('--json', 'print the changes as JSON')
    .option('--check', 'fail if a migration is needed')
    .addHelpText('after', examples)
    .action(async (path: string, flags: DiffFlags) => {
      const loaded = await loadModel(path, flags.model);
      const { diff, snapshot } = await import('@singlet/model/versions');
      const changes = diff(await acceptedVersion(loaded, flags.accepted), snapshot(loaded.model));
      process.stdout.write(flags.json === true ? `${JSON.stringify(changes, undefined, 2)}\n` : changesText(changes));
      if (flags.check === true && changes.some(needsMigration)) process.exitCode = 1;
    });
}

/** Formats changes for people: one line each, with its consequences below. */
export function changesText(changes: readonly Change[]): string {
  if (changes.length === 0) return 'Nothing has changed.\n';
  const lines = textTable(
    changes.map(({ class: kind, path, code, strategy = '' }) => [kind, path, code, strategy]),
  ).split('\n');
  return changes.map(({ message }, index) => `${lines[index] ?? ''}\n    ${message}\n`).join('');
}

function needsMigration({ class: kind }: Change): boolean {
  return kind === 'new-index' || kind === 'backfill' || kind === 're-key' || kind === 'by-hand';
}
