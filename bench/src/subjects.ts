import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from './child-processes.ts';
import { DatabaseSubject } from './database-subject.ts';
import { HttpFloorSubject } from './http-floor-subject.ts';
import { InProcessHost, InProcessSubject } from './in-process-subject.ts';
import type { LoadCalls } from './load-process.ts';
import { dynaliteArguments, singletArguments } from './servers.ts';
import type { Subject } from './subject.ts';

/** Everything that is measured side by side, in the order of the report. */
export function createSubjects(options: {
  readonly generator: Worker<LoadCalls>;
  /** Each subject that keeps data gets a directory of its own in here. */
  readonly directory: string;
  readonly itemCount: number;
  /** Whether GetItem is measured: only that is also measured through the AWS SDK. */
  readonly withSdk: boolean;
  readonly onProgress: (text: string) => void;
}): Subject[] {
  const { generator, itemCount, onProgress } = options;
  const place = (name: string): string => {
    const directory = join(options.directory, name);
    mkdirSync(directory);
    return directory;
  };
  const floor = new HttpFloorSubject({ generator, itemCount, directory: options.directory });
  const dynaliteDirectory = place('dynalite');
  const dynaliteMemory = new DatabaseSubject({
    id: 'dynalite-memory',
    title: 'dynalite, memory',
    generator,
    itemCount,
    unsupported: ['transact'],
    serverArguments: async () => await dynaliteArguments(),
  });
  const dynaliteDisk = new DatabaseSubject({
    id: 'dynalite-disk',
    title: 'dynalite, disk (not synced)',
    generator,
    itemCount,
    unsupported: ['transact'],
    serverArguments: async () => await dynaliteArguments(dynaliteDirectory),
  });
  const singletMemory = new DatabaseSubject({
    id: 'singlet-memory',
    title: 'Singlet, memory',
    peer: 'dynalite-memory',
    generator,
    itemCount,
    serverArguments: async () => singletArguments(),
  });
  const singletDirectory = place('singlet');
  const singletDisk = new DatabaseSubject({
    id: 'singlet-disk',
    title: 'Singlet, disk (synced)',
    peer: 'dynalite-disk',
    generator,
    itemCount,
    serverArguments: async () => singletArguments(singletDirectory),
  });

  const lmdbHost = new InProcessHost({ kind: 'lmdb', directory: place('lmdb') }, itemCount, onProgress);
  const diskHost = new InProcessHost({ kind: 'singlet', directory: place('in-process') }, itemCount, onProgress);
  const memoryHost = new InProcessHost({ kind: 'singlet' }, itemCount, onProgress);
  const inProcess = { transport: 'in process', itemCount } as const;
  const subjects: Subject[] = [
    floor,
    dynaliteMemory,
    dynaliteDisk,
    singletMemory,
    singletDisk,
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
      host: diskHost,
      mode: () => ({ kind: 'request' }),
    }),
    new InProcessSubject({
      ...inProcess,
      id: 'in-process-handle',
      title: 'Singlet handle(), disk',
      host: diskHost,
      mode: () => ({ kind: 'handle' }),
    }),
    new InProcessSubject({
      ...inProcess,
      id: 'in-process-memory',
      title: 'Singlet request(), memory',
      host: memoryHost,
      mode: () => ({ kind: 'request' }),
    }),
  ];
  if (!options.withSdk) return subjects;

  const sdkHost = new InProcessHost({ kind: 'sdk' }, itemCount, onProgress);
  const through = (server: { readonly port: number }) => () =>
    ({ kind: 'sdk', endpoint: `http://127.0.0.1:${server.port}` }) as const;
  const sdk = { transport: 'sdk', itemCount, only: 'get' } as const;
  return [
    ...subjects,
    new InProcessSubject({
      ...sdk,
      id: 'sdk-http-floor',
      title: 'bare node:http',
      host: sdkHost,
      mode: through(floor),
    }),
    new InProcessSubject({
      ...sdk,
      id: 'sdk-dynalite',
      title: 'dynalite, memory',
      host: sdkHost,
      mode: through(dynaliteMemory),
    }),
    new InProcessSubject({
      ...sdk,
      id: 'sdk-singlet',
      title: 'Singlet, disk',
      peer: 'sdk-dynalite',
      host: sdkHost,
      mode: through(singletDisk),
    }),
    new InProcessSubject({
      ...sdk,
      id: 'sdk-in-process',
      title: 'Singlet in process, disk',
      peer: 'sdk-dynalite',
      host: diskHost,
      mode: () => ({ kind: 'sdk' }),
    }),
  ];
}
