import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { withConnection } from '../model/connection.ts';
import { AssistantModels } from './assistant-models.ts';
import { serveTools } from './mcp-server.ts';
import { modelTools } from './model-tools.ts';
import { runPattern, type TableAccess } from './table-tools.ts';

const examples = `
Examples:
  $ singlet mcp shop.model.ts                    tools for one model, patterns run on http://127.0.0.1:8000
  $ singlet mcp models --endpoint http://127.0.0.1:8001 --allow-writes

An assistant starts this command itself. Most are told so by a file like this one:
  { "mcpServers": { "singlet": { "command": "npx", "args": ["singlet", "mcp", "shop.model.ts"] } } }

It can list, check, explain, prove and document the models that are named here, and run their patterns that read. It cannot send
a request that no pattern declares, read another file, or write, unless --allow-writes lets patterns that write run.`;

/**
 * `singlet mcp`: the Model Context Protocol over standard input and output.
 *
 * @param version - of this package, which assistants are told.
 */
export function mcpCommand(version: string): Command {
  const command = new Command('mcp')
    .summary('let an assistant use models and run their patterns')
    .description('Serves the Model Context Protocol over standard input and output.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet mcp --help'))
    .argument('<models...>', 'files that export models, or directories with such files')
    .option('--allow-writes', 'let patterns that write run, too')
    .addHelpText('after', examples)
    .action(async (paths: readonly string[], access: TableAccess) => {
      const models = new AssistantModels(paths, access.table);
      await serveTools([...modelTools(models), runPattern(models, access)], version);
    });
  return withConnection(command);
}
