import { Command } from 'commander';
import { StorageError } from '../storage/index.ts';
import { consumeCommand } from './consume-command.ts';
import { acceptCommand } from './model/accept-command.ts';
import { checkCommand } from './model/check-command.ts';
import { diffCommand } from './model/diff-command.ts';
import { docsCommand } from './model/docs-command.ts';
import { generateCommand } from './model/generate-command.ts';
import { ksuidCommand } from './model/ksuid-command.ts';
import { migrateCommand } from './model/migrate-command.ts';
import { modelCommand } from './model/model-command.ts';
import { replCommand } from './model/repl-command.ts';
import { runCommand } from './model/run-command.ts';
import { seedCommand } from './model/seed-command.ts';
import { deployCommand } from './deploy-command.ts';
import { errorOutput } from './error-output.ts';
import { explainCommand } from './explain-command.ts';
import { exportCommand } from './export-command.ts';
import { importCommand } from './import-command.ts';
import { serveCommand } from './serve-command.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';

const program: Command = new Command('singlet')
  .description('Singlet: the DynamoDB you own.')
  .version(version, '-v, --version', 'print the version')
  .helpOption('-h, --help', 'print this help')
  .helpCommand(false)
  .configureOutput(errorOutput('singlet --help'))
  .addHelpText('after', '\nsinglet serve --help explains what the server takes and does.')
  .addCommand(serveCommand())
  .addCommand(checkCommand())
  .addCommand(docsCommand())
  .addCommand(diffCommand())
  .addCommand(acceptCommand())
  .addCommand(migrateCommand())
  .addCommand(runCommand())
  .addCommand(replCommand())
  .addCommand(seedCommand())
  .addCommand(modelCommand())
  .addCommand(generateCommand())
  .addCommand(ksuidCommand())
  .addCommand(consumeCommand())
  .addCommand(deployCommand())
  .addCommand(explainCommand())
  .addCommand(importCommand())
  .addCommand(exportCommand());

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof StorageError)) throw error;
  process.stderr.write(`singlet: ${error.message}\n`);
  process.exitCode = 1;
}
