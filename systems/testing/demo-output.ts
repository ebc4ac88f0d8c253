import type { Demo } from '../demo/demo.ts';
import { runDemo } from '../demo/demo.ts';
import { Terminal } from '../demo/terminal.ts';
import { quickDatabase } from './two-databases.ts';

/** Runs a demo on its own database and table. Returns its whole output as one text. */
export async function demoOutput(demo: Demo): Promise<string> {
  const written: string[] = [];
  const terminal = new Terminal({ write: (text) => written.push(text) }, { colour: false });
  const database = await quickDatabase.open();
  try {
    const tableName = `Demo-${process.pid}-${Date.now().toString(36)}`;
    await runDemo(demo, { database, terminal, tableName, signal: new AbortController().signal });
  } finally {
    await database.close();
  }
  return written.join('');
}
