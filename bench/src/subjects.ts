import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from './bench-error.ts';
import type { Worker } from './child-processes.ts';
import { HttpFloorSubject } from './http-floor-subject.ts';
import { InProcessHost, InProcessSubject } from './in-process-subject.ts';
import type { LoadCalls, LoadClient } from './load-process.ts';
import type { ScenarioName } from './scenarios.ts';
import { ServerSubject, type ServerSubjectOptions } from './server-subject.ts';
import { createBenchUser, dynaliteCommand, dynoxideCommand, singletCommand } from './servers.ts';
import type { Credentials } from './signed-headers.ts';
import type { Subject, SubjectId } from './subject.ts';

/** dynalite has no transactions. */
const dynaliteLacks: readonly ScenarioName[] = ['transact', 'transact-25'];
const workerCount = 2;

const memoryPeers = { dynalite: 'dynalite-memory', dynoxide: 'dynoxide-memory' } as const;
const diskPeers = { dynalite: 'dynalite-disk', dynoxide: 'dynoxide-disk' } as const;
const sdkPeers = { dynalite: 'sdk-dynalite', dynoxide: 'sdk-dynoxide' } as const;

/** The subjects measured side by side, in the order of the report. None has been started. */
export function createSubjects(
  wanted: ReadonlySet<SubjectId>,
  options: {
    readonly generator: Worker<LoadCalls>;
    readonly client: LoadClient;
    /** Contains a directory for each subject that keeps data. */
    readonly directory: string;
    readonly onProgress: (text: string) => void;
  },
): Subject[] {
  const { generator, client, onProgress } = options;
  const place = (name: string): string => {
    const directory = join(options.directory, name);
    mkdirSync(directory, { recursive: true });
    return directory;
  };
  const floor = new HttpFloorSubject({ generator, client, directory: options.directory });
  const dynaliteMemory = new ServerSubject({
    id: 'dynalite-memory',
    title: 'dynalite, memory',
    generator,
    client,
    unsupported: dynaliteLacks,
    command: async () => await dynaliteCommand(),
  });
  const dynoxideMemory = new ServerSubject({
    id: 'dynoxide-memory',
    title: 'dynoxide, memory',
    generator,
    client,
    command: async () => await dynoxideCommand(),
  });
  const singletDisk = new ServerSubject({
    id: 'singlet-disk',
    title: 'Singlet, disk (synced)',
    peers: diskPeers,
    generator,
    client,
    command: async () => await singletCommand({ directory: place('singlet') }),
  });
  const lmdbHost = new InProcessHost({ kind: 'lmdb', directory: place('lmdb') }, onProgress);
  const diskHost = new InProcessHost({ kind: 'singlet', directory: place('in-process') }, onProgress);
  const memoryHost = new InProcessHost({ kind: 'singlet' }, onProgress);
  const sdkHost = new InProcessHost({ kind: 'sdk' }, onProgress);
  const inProcess = { transport: 'in process' } as const;
  const sdkTo = (server: ServerSubject) =>
    ({
      transport: 'sdk',
      host: sdkHost,
      fillTable: async (table) => await server.fillTable(table),
      mode: () => sdkMode(server.port),
    }) as const satisfies Partial<ConstructorParameters<typeof InProcessSubject>[0]>;

  const subjects: Subject[] = [
    floor,
    dynaliteMemory,
    new ServerSubject({
      id: 'dynalite-disk',
      title: 'dynalite, disk (not synced)',
      generator,
      client,
      unsupported: dynaliteLacks,
      command: async () => await dynaliteCommand(place('dynalite')),
    }),
    dynoxideMemory,
    new ServerSubject({
      id: 'dynoxide-disk',
      title: 'dynoxide, disk (synced)',
      generator,
      client,
      command: async () => await dynoxideCommand(place('dynoxide')),
    }),
    new ServerSubject({
      id: 'singlet-memory',
      title: 'Singlet, memory',
      peers: memoryPeers,
      generator,
      client,
      command: async () => await singletCommand(),
    }),
    singletDisk,
    signedSubject({ generator, client, place: () => place('signed') }),
    new ServerSubject({
      id: 'singlet-workers',
      title: `Singlet, disk, ${workerCount} workers`,
      peers: diskPeers,
      generator,
      client,
      // Its own directory: a second server on the other's would change how that one writes.
      command: async () => await singletCommand({ directory: place('workers'), workers: workerCount }),
    }),
    new InProcessSubject({
      ...inProcess,
      id: 'lmdb',
      title: 'LMDB alone (synced)',
      host: lmdbHost,
      mode: () => ({ kind: 'engine' }),
    }),
    new InProcessSubject({
      ...inProcess,
      id: 'in-process-request',
      title: 'Singlet request(), disk',
      peers: diskPeers,
      host: diskHost,
      mode: () => ({ kind: 'request' }),
    }),
    new InProcessSubject({
      ...inProcess,
      id: 'in-process-handle',
      title: 'Singlet handle(), disk',
      peers: diskPeers,
      host: diskHost,
      mode: () => ({ kind: 'handle' }),
    }),
    new InProcessSubject({
      ...inProcess,
      id: 'in-process-memory',
      title: 'Singlet request(), memory',
      peers: memoryPeers,
      host: memoryHost,
      mode: () => ({ kind: 'request' }),
    }),
    new InProcessSubject({
      id: 'sdk-http-floor',
      title: 'bare node:http',
      transport: 'sdk',
      host: sdkHost,
      fillTable: async () => await floor.fillTable(),
      before: async (benchCase) => await floor.prepare(benchCase),
      mode: (benchCase) => ({ ...sdkMode(floor.portOf(benchCase)), isFloor: true }),
    }),
    new InProcessSubject({ ...sdkTo(dynaliteMemory), id: 'sdk-dynalite', title: 'dynalite, memory' }),
    new InProcessSubject({ ...sdkTo(dynoxideMemory), id: 'sdk-dynoxide', title: 'dynoxide, memory' }),
    new InProcessSubject({ ...sdkTo(singletDisk), id: 'sdk-singlet', title: 'Singlet, disk', peers: sdkPeers }),
    new InProcessSubject({
      id: 'sdk-in-process',
      title: 'Singlet in process, disk',
      transport: 'sdk',
      peers: sdkPeers,
      host: diskHost,
      mode: () => ({ kind: 'sdk' }),
    }),
  ];
  return subjects.filter(({ id }) => wanted.has(id));
}

/** The same server with `--auth`: every request is signed, and allowed by a policy. */
function signedSubject({
  generator,
  client,
  place,
}: Pick<ServerSubjectOptions, 'generator' | 'client'> & { readonly place: () => string }): ServerSubject {
  let credentials: Credentials | undefined;
  return new ServerSubject({
    id: 'singlet-signed',
    title: 'Singlet, disk, --auth',
    peers: diskPeers,
    generator,
    client,
    command: async () => {
      const directory = place();
      const user = await createBenchUser(directory);
      ({ credentials } = user);
      return await singletCommand({ directory: join(directory, 'data'), auth: user.auth });
    },
    credentials: () => {
      if (credentials === undefined) throw new BenchError('usage', 'The server with --auth is not started.');
      return credentials;
    },
  });
}

function sdkMode(port: number) {
  return { kind: 'sdk', endpoint: `http://127.0.0.1:${port}` } as const;
}
