#!/usr/bin/env node
// Loads the command. It is written so that any Node that knows modules can read it: what an older one lacks is said in a sentence, and so is
// a build that was never made.
import { existsSync, readFileSync } from 'fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const command = new URL('../dist/cli/main.js', import.meta.url);
const least = manifest.engines.node.replace('>=', '');

function isOlder(version, than) {
  const [major, minor] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = than.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

function refuse(sentence) {
  process.stderr.write(`singlet: ${sentence}\n`);
  process.exitCode = 1;
}

if (isOlder(process.versions.node, least)) {
  refuse(
    `Node ${least} or newer is needed, and this is Node ${process.versions.node}: https://nodejs.org has a newer one.`,
  );
} else if (!existsSync(command)) {
  refuse('The command has not been built: run npm run build in the folder of the workspace.');
} else {
  void import(command.href);
}
