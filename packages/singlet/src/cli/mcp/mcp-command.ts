import { Command } from 'commander';
import { errorOutput } from '../error-output.ts';
import { withConnection } from '../model/connection.ts';
import { AssistantModels } from './assistant-models.ts';
import { serveTools } from './mcp-server.ts';
import { modelTools } from './model-tools.ts';
import { runPattern, type TableAccess } from './table-tools.ts';

const examples = `
Examples:
  $ singlet mcp shop.model.ts                    tools for one model; patterns run on http://127.0.0.1:8000
  $ singlet mcp models --endpoint http://127.0.0.1:8001 --allow-writes

Assistants start this command themselves. Most are configured by a file like this one:
  { "mcpServers": { "singlet": { "command": "npx", "args": ["singlet", "mcp", "shop.model.ts"] } } }

The assistant can list, check, explain, prove and document the named models, and run their patterns that read. It cannot send
requests that no pattern declares or read other files. It can write only with --allow-writes, through patterns that write.`;

/**
 * `singlet mcp`: the Model Context Protocol over standard input and output.
 *
 * @param version - of this package, reported to clients.
 */
export function mcpCommand(version: string): Command {
  const command = new Command('mcp')
    .summary('let an assistant use models and run their patterns')
    .description('Serves the Model Context Protocol over standard input and output.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet mcp --help'))
    .argument('<models...>', 'files that export models, or directories with such files')
    .option('--allow-writes', 'allow patterns that write')
    .addHelpText('after', examples)
    .action(async (paths: readonly string[], access: TableAccess) => {
      const models = new AssistantModels(paths, access.table);
      await serveTools([...modelTools(models), runPattern(models, access)], version);
    });
  return withConnection(command);
}
