import { expect, test } from 'vitest';
import { runDemo } from '../demo/demo.ts';
import { Terminal } from '../demo/terminal.ts';
import { accessControlDemo } from './demo.ts';
import { quickDatabase } from './fixture.ts';

test('the demo tells its story with a request of each pattern', async () => {
  const written: string[] = [];
  const terminal = new Terminal({ write: (text) => written.push(text) }, { colour: false });
  const database = await quickDatabase.open();
  try {
    const demo = accessControlDemo({ scale: 0.005 });
    const tableName = `access-demo-${process.pid}`;
    await runDemo(demo, { database, terminal, tableName, signal: new AbortController().signal });
    const output = written.join('');
    expect(output).toContain('May Nora lift on site 1? yes, by "May lift".');
    expect(output).toContain('May Nora lift now? no, by "Must not lift".');
    expect(output).toContain('policy:lift@3 is done. May Nora lift? yes, by "May lift".');
    expect(output).toContain('0 copies are left, and 0 jobs are dead.');
    for (const { id, title } of demo.patterns) expect(output).toContain(`${id}  ${title}`);
    expect(output.match(/no request/g)).toBeNull();
  } finally {
    await database.close();
  }
});
