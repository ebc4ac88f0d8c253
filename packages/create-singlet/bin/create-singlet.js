#!/usr/bin/env node
// Loads the command. It is written so that any Node that knows modules can read it: what an older one lacks is said in a sentence.
import { readFileSync } from 'fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [least, version] = [manifest.engines.node.replace('>=', ''), process.versions.node];
const [[leastMajor, leastMinor], [major, minor]] = [least, version].map((each) => each.split('.').map(Number));

if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
  process.stderr.write(
    `create-singlet: Node ${least} or newer is needed, and this is Node ${version}: https://nodejs.org has a newer one.\n`,
  );
  process.exitCode = 1;
} else {
  void import('../dist/main.js');
}
