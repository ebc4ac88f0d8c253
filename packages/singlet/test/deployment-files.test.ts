import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { checkNetworkFlags } from '../src/cli/access/network-flags.ts';
import { serveCommand } from '../src/cli/serve-command.ts';
import type { ServeFlags } from '../src/cli/serving.ts';
import { SingletProcess } from './singlet-process.ts';

/**
 * The files under `deploy/` against the program that they start: its flags, its port, where it writes, its answers to probes.
 */

const deploy = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const tls = fileURLToPath(new URL('testdata/tls/', import.meta.url));
const textOf = (file: string): string => readFileSync(join(deploy, file), 'utf8');

/** The lines of a Dockerfile's last stage, by instruction. Continued lines are joined. */
function instruction(name: string): readonly string[] {
  const lines = textOf('Dockerfile').replaceAll('\\\n', ' ').split('\n');
  const last = lines.findLastIndex((line) => line.startsWith('FROM '));
  return lines
    .slice(last)
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length).trim());
}

const jsonOf = (text = '[]'): readonly string[] => JSON.parse(text.replace(/^.*?(?=\[)/, '')) as readonly string[];

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string; readonly scheme: string };
}

interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
}

interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly volumeMounts: readonly Mount[];
  readonly securityContext: object;
}

interface StatefulSet {
  readonly kind: string;
  readonly spec: {
    readonly replicas: number;
    readonly serviceName: string;
    readonly selector: { readonly matchLabels: object };
    readonly volumeClaimTemplates: readonly { readonly metadata: { readonly name: string } }[];
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly securityContext: object;
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly Container[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

interface Service {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly selector: object; readonly ports: readonly { readonly targetPort: string }[] };
}

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly read_only: boolean;
        readonly ports: readonly string[];
        readonly volumes: readonly string[];
        readonly build: { readonly context: string; readonly dockerfile: string };
      }
    >
  >;
  readonly volumes: object;
}

const documents = parseAllDocuments(textOf('kubernetes/singlet.yaml'));
const [service, statefulSet] = documents.map((document) => document.toJS() as unknown) as [Service, StatefulSet];
const [container] = statefulSet.spec.template.spec.containers as readonly [Container];
const compose = parse(textOf('compose.yaml')) as Compose;
const unit = textOf('singlet.service');

const commands = {
  Dockerfile: jsonOf(instruction('CMD')[0]),
  'singlet.service': (/^ExecStart=\/usr\/bin\/singlet (.*)$/m.exec(unit)?.[1] ?? '').split(' '),
  'kubernetes/singlet.yaml': container.args,
};

/** How `singlet serve` parses arguments. Nothing is started. @throws {Error} for an unknown flag or a refused value. */
function flagsOf([name, ...args]: readonly string[]): ServeFlags {
  expect(name).toBe('serve');
  const command = serveCommand();
  const { operands, unknown } = command.parseOptions([...args]);
  if (unknown.length > 0 || operands.length > 0) throw new Error(`not known: ${[...unknown, ...operands].join(' ')}`);
  const flags = command.opts<ServeFlags>();
  checkNetworkFlags(flags);
  return flags;
}

describe.each(Object.entries(commands))('the command of %s', (file, args) => {
  test('has flags that there are, and is one for a network', () => {
    const flags = flagsOf(args);
    expect(flags).toMatchObject({ host: '0.0.0.0', port: 8443, logFormat: 'json' });
    expect(flags.tlsCert).toBeDefined();
    expect(flags.auth).toBeDefined();
  });

  test('writes to places that may be written, and reads its configuration from one that may not', () => {
    const { data, auditLog, auth, authKey, tlsCert, tlsKey } = flagsOf(args);
    const writable = file === 'singlet.service' ? ['/var/lib/singlet/', '/var/log/singlet/'] : ['/data/'];
    for (const path of [data, auditLog ?? '']) expect(writable.some((folder) => path.startsWith(folder))).toBe(true);
    for (const path of [auth, authKey, tlsCert, tlsKey]) expect(path).toMatch(/^\/etc\/singlet\//);
  });
});

test.each([
  [['serve', '--databases', '/data'], 'not known: --databases'],
  [['serve', 'now'], 'not known: now'],
  [['serve', '--port', '84430000'], '--port takes a number from 0 to 65535'],
  [['serve', '--host', '0.0.0.0'], 'Singlet accepts any credentials'],
])('a mistake in a command is found: %j', (args, problem) => {
  expect(() => flagsOf(args)).toThrow(problem);
});

describe('the image', () => {
  test('runs as another user than root, by number, writes to a volume, and has the port of the command', () => {
    expect(instruction('USER')).toEqual(['1000:1000']);
    expect(instruction('VOLUME')).toEqual(['/data']);
    expect(instruction('EXPOSE')).toEqual([String(flagsOf(commands.Dockerfile).port)]);
    expect(jsonOf(instruction('ENTRYPOINT')[0])).toEqual(['singlet']);
  });

  test('copies what there is', () => {
    const copied = textOf('Dockerfile')
      .split('\n')
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied).toContain('deploy/health-check.mjs');
    for (const path of copied) expect(() => readFileSync(join(deploy, '..', path)), path).not.toThrow(/ENOENT/);
  });
});

describe('compose', () => {
  test('has a read-only file system, a volume for the data, and the port of the image', () => {
    const { singlet } = compose.services;
    expect(singlet).toMatchObject({
      read_only: true,
      user: '1000:1000',
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      build: { context: '..', dockerfile: 'deploy/Dockerfile' },
    });
    expect(singlet?.ports).toEqual(['8443:8443']);
    expect(singlet?.volumes).toEqual(['data:/data', './config:/etc/singlet:ro']);
    expect(Object.keys(compose.volumes)).toEqual(['data']);
  });
});

describe('Kubernetes', () => {
  test('the manifests are YAML, and their parts fit each other', () => {
    expect(documents.flatMap((document) => [...document.errors, ...document.warnings])).toEqual([]);
    expect([service.kind, statefulSet.kind]).toEqual(['Service', 'StatefulSet']);
    const { spec } = statefulSet;
    expect(spec.serviceName).toBe(service.metadata.name);
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
    expect(service.spec.selector).toEqual(spec.selector.matchLabels);
    expect(service.spec.ports.map((port) => port.targetPort)).toEqual(container.ports.map((port) => port.name));
    const volumes = spec.template.spec.volumes.map(({ name }) => name);
    for (const claim of spec.volumeClaimTemplates) volumes.push(claim.metadata.name);
    expect(container.volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted());
  });

  test('one server has the data, as another user than root, on a read-only file system', () => {
    expect(statefulSet.spec.replicas).toBe(1);
    expect(statefulSet.spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const mounts = new Map(container.volumeMounts.map((mount) => [mount.mountPath, mount]));
    expect(mounts.get('/data')?.readOnly).toBeUndefined();
    expect(mounts.get('/etc/singlet')?.readOnly).toBe(true);
    expect(container.ports.map((port) => port.containerPort)).toEqual([flagsOf(container.args).port]);
  });
});

test('a server that is stopped has more time than running requests are given', () => {
  const limitsPage = readFileSync(join(deploy, '../docs/limits.md'), 'utf8');
  const givenSeconds = Number(
    /for running requests when the server is stopped\s*\| (\d+) seconds/.exec(limitsPage)?.[1],
  );
  expect(givenSeconds).toBeGreaterThan(0);
  const seconds = [
    statefulSet.spec.template.spec.terminationGracePeriodSeconds,
    Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]),
    Number(/stop_grace_period: (\d+)s/.exec(textOf('compose.yaml'))?.[1]),
  ];
  for (const each of seconds) expect(each).toBeGreaterThan(givenSeconds);
});

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

describe('systemd', () => {
  test('may write where the command writes, and nowhere else', () => {
    for (const line of ['StateDirectory=singlet', 'LogsDirectory=singlet', 'ProtectSystem=strict', 'User=singlet']) {
      expect(unit.split('\n')).toContain(line);
    }
    expect(unit).toMatch(/^CapabilityBoundingSet=$/m);
    expect(unit).not.toMatch(/^ReadWritePaths=/m);
  });

  test.runIf(isInstalled('systemd-analyze'))('systemd-analyze finds nothing wrong (runs where it is installed)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'singlet-unit-'));
    try {
      const verified = (text: string): string => {
        const file = join(folder, 'singlet.service');
        // The program is not installed here.
        writeFileSync(file, text.replace('/usr/bin/singlet', process.execPath));
        const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
        return status === 0 ? stderr : `${status} ${stderr}`;
      };
      expect(verified(unit)).not.toContain('singlet.service');
      expect(verified(unit.replace('TimeoutStopSec=60', 'TimeoutStopSec=soon'))).toContain('Failed to parse');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('what is started', () => {
  let folder: string;
  const servers: SingletProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'singlet-deploy-'));
    copyFileSync(join(tls, 'first.cert.pem'), join(folder, 'tls.crt'));
    copyFileSync(join(tls, 'first.key.pem'), join(folder, 'tls.key'));
    const files = ['--auth', join(folder, 'auth.json'), '--auth-key', join(folder, 'auth.key')];
    const created = new SingletProcess(['identity', 'create', 'admin', ...files, '--json']);
    expect(await created.ended).toMatchObject({ code: 0 });
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.end('SIGTERM')));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Exit code of the health check, which runs beside the server. */
  function healthCheck(url: string): Promise<number | null> {
    return new Promise((resolve) => {
      spawn(process.execPath, [join(deploy, 'health-check.mjs'), url]).once('close', (code) => resolve(code));
    });
  }

  test.each(Object.entries(commands))('by %s answers the health check and the probes', async (_file, args) => {
    // The same arguments, with directories and a port of this test.
    const local = args.map((arg) =>
      arg
        .replace(/\/(etc\/singlet|data|var\/lib\/singlet|var\/log\/singlet)\/(\S+)/, (path) =>
          join(folder, basename(path)),
        )
        .replace(/^(--port=)?8443$/, '$10')
        .replace('0.0.0.0', '127.0.0.1'),
    );
    const server = new SingletProcess(local);
    servers.push(server);
    const url = await server.ready();
    expect(url).toMatch(/^https:/);
    const check = new URL(jsonOf(instruction('HEALTHCHECK')[0]).at(-1) ?? '');
    expect([check.protocol, check.port]).toEqual(['https:', '8443']);
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => {
      expect(httpGet).toMatchObject({ scheme: 'HTTPS', port: container.ports[0]?.name });
      return httpGet.path;
    });
    expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
    for (const path of new Set([...paths, check.pathname])) expect(await healthCheck(url + path)).toBe(0);
    expect(await healthCheck(`${url}/health/none`)).toBe(1);
  });

  test('is found unhealthy when it is not ready, and when there is none', async () => {
    const unready = createServer((_request, response) => response.writeHead(503).end());
    await new Promise<void>((resolve) => unready.listen(0, '127.0.0.1', resolve));
    const { port } = unready.address() as AddressInfo; // it listens
    expect(await healthCheck(`http://127.0.0.1:${port}/health/ready`)).toBe(1);
    await new Promise((resolve) => unready.close(resolve));
    expect(await healthCheck(`http://127.0.0.1:${port}/health/ready`)).toBe(1);
  });
});
