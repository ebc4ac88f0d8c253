import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { type ConnectionFlags, withClient, withConnection } from './connection.ts';
import { loadModel } from './load-models.ts';
import { refuseUnproven } from './refuse-unproven.ts';

export function replCommand(): Command {
  const command = new Command('repl')
    .summary('try the patterns of a model')
    .description(
      'Starts a prompt with the patterns of a model as functions of `db`: `await db.customer({ username: "alex" })`.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet repl --help'))
    .argument('<model>', 'a file that exports a model')
    .option('--model <name>', 'name of the model, if the file exports several')
    .action(async (path: string, flags: ConnectionFlags & { readonly model?: string }) => {
      const loaded = await loadModel(path, flags.model);
      await refuseUnproven(loaded);
      const { model } = loaded;
      const { connect, ready } = await import('@singlet/model');
      const { start } = await import('node:repl');
      await withClient(flags, async (client) => {
        const db = await ready(connect(model, { client, tables: flags.table }));
        process.stdout.write(`db has ${Object.keys(model.patterns).join(', ')}\n`);
        const prompt = start({ prompt: `${model.name}> ` });
        Object.assign(prompt.context, { db, model });
        await new Promise<void>((resolve) => prompt.once('exit', resolve));
      });
    });
  return withConnection(command);
}
