import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { commands } from '../src/cli/commands.ts';

/**
 * docs/commands.md is generated from the help of the commands. `UPDATE_GOLDEN=1 npx vitest run packages/singlet/test/command-reference.test.ts`
 * rewrites it.
 */
const file = fileURLToPath(new URL('../../../docs/commands.md', import.meta.url));

const introduction = `# Commands

The \`--help\` text of every \`singlet\` command, with all flags and options. This page is generated from the commands.
`;

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  readonly commands: readonly Described[];
}

/** A command and its subcommands. */
function describe(command: Command, parent: string): Described {
  const name = `${parent} ${command.name()}`;
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 120 });
  command.outputHelp();
  return {
    name,
    summary: command.summary(),
    help: help.replace(/^Usage: [^[<]*/, `Usage: ${name} `).trim(),
    commands: command.commands.map((each) => describe(each, name)),
  };
}

function section({ name, help, commands: below }: Described, depth: number): string {
  return [
    `${'#'.repeat(depth)} ${name}\n`,
    `\`\`\`text\n${help}\n\`\`\`\n`,
    ...below.map((each) => section(each, depth + 1)),
  ].join('\n');
}

test('the reference of the commands says what they say', async () => {
  for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'TMPDIR']) vi.stubEnv(name, undefined);
  const described: Described[] = [];
  for (const load of Object.values(commands)) described.push(describe(await load('0.0.0'), 'singlet'));
  vi.unstubAllEnvs();
  const links = described.map(({ name, summary }) => `- [${name}](#${name.replaceAll(' ', '-')}): ${summary}`);
  const page = [introduction, `${links.join('\n')}\n`, ...described.map((each) => section(each, 2))].join('\n');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, page);
  expect(readFileSync(file, 'utf8')).toBe(page);
  for (const { summary, name } of described) expect(summary, name).not.toBe('');
  // Each flag of each command has its own text.
  expect(page).not.toMatch(/^ +--?[a-z][^ ]*( <[^>]+>)?$/m);
});
