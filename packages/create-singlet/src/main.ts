import { run } from './run.ts';

const { stdin, stdout, stderr } = process;

process.exitCode = await run({
  args: process.argv.slice(2),
  workingDirectory: process.cwd(),
  templates: new URL('./templates/', import.meta.url),
  terminal: stdin.isTTY && stdout.isTTY ? { input: stdin, output: stdout } : undefined,
  say: (text) => stdout.write(text),
  complain: (text) => stderr.write(text),
});
