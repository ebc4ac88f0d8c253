import { expect, test } from 'vitest';
import { runDemo } from '../demo/demo.ts';
import { Terminal } from '../demo/terminal.ts';
import { githubDemo } from './demo.ts';
import { quickDatabase } from './fixture.ts';

test('the demo shows a request of every access pattern, and every count agrees at midnight', async () => {
  const demo = githubDemo({ visits: 150, scale: 0.001 });
  const written: string[] = [];
  const database = await quickDatabase.open();
  try {
    await runDemo(demo, {
      database,
      terminal: new Terminal({ write: (text) => written.push(text) }, { colour: false }),
      tableName: 'GitHubDemo',
      signal: new AbortController().signal,
    });
  } finally {
    await database.close();
  }
  const output = written.join('');
  expect(output).toContain('Repos: 1, with 200 issues');
  expect(output).toMatch(/Counted again at midnight: \d+ stars, \d+ open issues/);
  expect(output).not.toContain('no request');
  for (const { id, title } of demo.patterns) {
    expect(output).toContain(`${id}  ${title}`);
  }
  expect(output).toMatch(/Query on GitHubDemo, index GSI3\n +GSI3PK = "ACCOUNT#/);
});
