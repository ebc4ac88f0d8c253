import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from './bench-error.ts';
import { type ServerCommand, startServer } from './child-processes.ts';
import { HttpConnection } from './http-connection.ts';
import type { Progress } from './progress.ts';
import { httpRequest } from './requests.ts';
import type { Problem } from './measurement.ts';
import { attempt } from './rounds.ts';
import { dynaliteCommand, dynoxideCommand, httpFloorCommand, singletCommand } from './servers.ts';

export type StartupSubject = 'http-floor' | 'dynalite-memory' | 'dynoxide-memory' | 'singlet-memory' | 'singlet-disk';

export interface StartupTimes {
  readonly subject: StartupSubject;
  readonly title: string;
  /** From before the process is spawned until its first answer has arrived, one per round. */
  readonly timesMs: readonly number[];
}

export type StartupResult = readonly StartupTimes[];

interface Candidate {
  readonly subject: StartupSubject;
  readonly title: string;
  readonly command: () => Promise<ServerCommand>;
}

/**
 * Starts each server in turn, `runs` times, and requests the list of its tables. An uncounted round comes first: it loads
 * the programs into the page cache. Nothing else may be running.
 */
export async function measureStartup(options: {
  readonly directory: string;
  readonly runs: number;
  readonly progress: Progress;
  readonly problems: Problem[];
}): Promise<StartupResult> {
  const dataDirectory = mkdtempSync(join(options.directory, 'startup-'));
  const candidates: Candidate[] = [
    { subject: 'http-floor', title: 'empty node:http server', command: async () => httpFloorCommand() },
    { subject: 'dynalite-memory', title: 'dynalite, memory', command: async () => await dynaliteCommand() },
    { subject: 'dynoxide-memory', title: 'dynoxide, memory', command: async () => await dynoxideCommand() },
    { subject: 'singlet-memory', title: 'Singlet, memory', command: async () => await singletCommand() },
    {
      subject: 'singlet-disk',
      title: 'Singlet, on disk',
      command: async () => await singletCommand({ directory: dataDirectory }),
    },
  ];
  const times = new Map(candidates.map((candidate) => [candidate, [] as number[]]));
  for (let run = 0; run <= options.runs; run += 1) {
    for (const [candidate, timesMs] of times) {
      options.progress.step(`start-up ${run}/${options.runs}: ${candidate.title}`);
      const done = await attempt(options.problems, `start-up of ${candidate.title}`, async () => {
        const timeMs = await timeToFirstAnswer(await candidate.command());
        if (run > 0) timesMs.push(timeMs);
      });
      if (!done) times.delete(candidate);
    }
  }
  return [...times].map(([{ subject, title }, timesMs]) => ({ subject, title, timesMs }));
}

async function timeToFirstAnswer(command: ServerCommand): Promise<number> {
  const request = httpRequest({ action: 'ListTables', input: {} });
  const startMs = performance.now();
  const server = await startServer(command);
  try {
    const connection = await HttpConnection.open(server.port, { keepBodies: true });
    const { status, body } = await connection.call(request);
    const timeMs = performance.now() - startMs;
    connection.close();
    if (status !== 200) throw new BenchError('wrong-answer', `ListTables was answered ${status}: ${body.toString()}`);
    return timeMs;
  } finally {
    await server.stop();
  }
}
