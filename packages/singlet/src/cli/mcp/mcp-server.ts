import { loadPackage } from '../../values/missing-package.ts';
import { UsageError } from '../usage-error.ts';
import { type Tool, ToolInput } from './tool.ts';

/** The maximum length of a tool's answer. A longer one becomes an error that says how to ask for less. */
export const answerCharactersMax = 200_000;

interface ToolAnswer {
  readonly [key: string]: unknown;
  readonly content: { type: 'text'; text: string }[];
  readonly isError?: boolean;
}

/** Serves tools over standard input and output, until the input ends. */
export async function serveTools(tools: readonly Tool[], version: string): Promise<void> {
  const [{ Server }, { StdioServerTransport }, { CallToolRequestSchema, ListToolsRequestSchema }] = await loadPackage(
    'singlet mcp',
    () =>
      Promise.all([
        import('@modelcontextprotocol/sdk/server/index.js'),
        import('@modelcontextprotocol/sdk/server/stdio.js'),
        import('@modelcontextprotocol/sdk/types.js'),
      ]),
  );
  // Standard output carries the protocol, so console output of models is redirected to standard error.
  console.log = console.info = console.debug = (...words: unknown[]) => console.error(...words);
  const server = new Server({ name: 'singlet', version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, inputSchema, isReadOnly }) => ({
      name,
      description,
      inputSchema,
      annotations: { readOnlyHint: isReadOnly, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) =>
    answerOf(tools, params.name, params.arguments ?? {}, signal),
  );
  // Without an answer, the assistant waits; the log says why.
  server.onerror = (error) => {
    // The message of a schema's error is a list in JSON.
    const reason = error.name === 'ZodError' ? 'it is not a message of JSON-RPC.' : error.message;
    console.error(`singlet: A line of standard input was ignored: ${reason}`);
  };
  const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve));
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}

/** Never rejects: problems with a call, a model or an endpoint are returned as text for the assistant. */
async function answerOf(
  tools: readonly Tool[],
  name: string,
  values: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  try {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined)
      throw new UsageError(`There is no tool ${name}; there are ${tools.map((each) => each.name).join(', ')}.`);
    const text = JSON.stringify(await tool.run(new ToolInput(tool, values), signal), undefined, 1);
    if (text.length > answerCharactersMax)
      throw new UsageError(
        `The answer has ${text.length.toLocaleString('en')} characters, more than the limit of ${answerCharactersMax.toLocaleString('en')}: ask for less, such as a smaller page.`,
      );
    return { content: [{ type: 'text', text }] };
  } catch (error) {
    return { content: [{ type: 'text', text: messageOf(error) }], isError: true };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
