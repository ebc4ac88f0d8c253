import type { CreateTableCommandInput, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { observeRequests } from '../measurement/observe-requests.ts';
import { PatternLedger } from '../measurement/pattern-ledger.ts';
import { createTable, deleteTable } from '../table-lifecycle.ts';
import type { OpenDatabase } from '../testing/databases.ts';
import { printExamples, printFigures } from './pattern-report.ts';
import type { Terminal } from './terminal.ts';

export interface AccessPattern {
  readonly id: string;
  readonly title: string;
}

/** The environment of a demo. */
export interface Stage {
  /** Every request that it sends is measured. */
  readonly client: DynamoDBClient;
  /** For clients of the database's other APIs, such as streams. */
  readonly clientConfig: DynamoDBClientConfig;
  readonly tableName: string;
  readonly terminal: Terminal;
  readonly ledger: PatternLedger;
  /** Aborted when the demo must stop. */
  readonly signal: AbortSignal;
}

/** A demonstration of an application. */
export interface Demo {
  readonly title: string;
  readonly table: CreateTableCommandInput;
  readonly patterns: readonly AccessPattern[];
  /** Runs it: every call under its access pattern, with progress on the terminal. */
  readonly play: (stage: Stage) => Promise<void>;
}

export interface DemoRun extends Pick<Stage, 'terminal' | 'tableName' | 'signal'> {
  readonly database: OpenDatabase;
}

/**
 * Creates the demo's table, runs the demo, prints examples and figures, and deletes the table again, also when the demo
 * fails or `signal` is aborted.
 */
export async function runDemo(demo: Demo, { database, terminal, tableName, signal }: DemoRun): Promise<void> {
  const client = new DynamoDBClient(database.clientConfig);
  const ledger = new PatternLedger();
  observeRequests(client, (request) => ledger.record(request));
  try {
    terminal.heading(demo.title);
    await createTable(client, { ...demo.table, TableName: tableName });
    try {
      await demo.play({ client, clientConfig: database.clientConfig, tableName, terminal, ledger, signal });
    } finally {
      await deleteTable(client, tableName);
    }
    const report = { terminal, ledger, patterns: demo.patterns };
    terminal.heading('One request of each access pattern');
    printExamples(report, keyNamesOf(demo.table));
    terminal.heading('Figures');
    printFigures(report);
  } finally {
    client.destroy();
  }
}

function keyNamesOf(table: CreateTableCommandInput): readonly string[] {
  return (table.KeySchema ?? []).map(({ AttributeName }) => AttributeName ?? '');
}
