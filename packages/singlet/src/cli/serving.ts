import { accessSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type EngineLogEvent, loadDeferredEngine, type WeatherForecast } from '../engine/index.ts';
import {
  type Certificate,
  checkListen,
  ConnectionLimit,
  type HttpListener,
  ListenError,
  loadDeferredShapes,
  callerBudgetBytes,
  RequestLimit,
  RequestRate,
  type RequestEvent,
  type WireHandler,
} from '../server/index.ts';
import { type CheckAtStart, StorageError, type Store } from '../storage/index.ts';
import {
  createDatabase,
  createVerifiedDatabase,
  engineOf,
  type Database,
  type DatabaseOptions,
} from '../database/create-database.ts';
import type { Route } from '../database/health-route.ts';
import { withAddressRate } from '../database/address-rate-handler.ts';
import { withSts } from '../database/sts-handler.ts';
import { AuditLog } from './access/audit-log.ts';
import { certificateOf, type NetworkFlags } from './access/network-flags.ts';
import { refusalLog } from './access/refusal-log.ts';
import { openServerAccess } from './access/server-access.ts';
import { openServerMetrics } from './metrics/open-server-metrics.ts';
import { openServerTraces, type ServerTraces } from './traces/server-traces.ts';
import type { OtherWorkers } from './workers/other-workers.ts';
import { SharedLimits } from './workers/shared-limits.ts';
import { workerNumberOf } from './workers/worker-message.ts';
import { identityPaths } from './identity/identity-file.ts';
import { watchFiles } from './watch-files.ts';
import type { BackedUpStore } from '../shipping/open-backed-up-store.ts';
import type { SnapshotVerifier } from './backup/snapshot-verifier.ts';
import { collectSeldom } from './heap-growth.ts';
import type { LogLevelSwitch } from './log-level-switch.ts';
import type { LogFormat, LogLevel } from './logger.ts';
import {
  encryptedOrClosed,
  noReadStore,
  openReadStore,
  openStore,
  type StoreLocation,
  storeLocationOf,
  wrappingKeysOf,
} from '../database/open-store.ts';
import { serveHandler } from '../database/serve.ts';
import { fileProblem } from './file-problem.ts';
import { encryptionKeysOf } from './encryption-key-file.ts';
import type { ModelSource, Peers } from '../inspect/index.ts';
import type { ServedModelsOptions } from './model/served-models.ts';
import { systemProblem } from './system-problem.ts';
import { UsageError } from './usage-error.ts';

/** The options of `singlet serve`, as given or by default. */
export interface ServeFlags extends NetworkFlags {
  readonly port: number;
  readonly cors?: readonly string[];
  readonly workers: number;
  readonly data: string;
  readonly memory?: boolean;
  readonly store?: string;
  readonly encryptionKey?: string;
  readonly region: string;
  readonly oneRegion?: boolean;
  readonly account: string;
  readonly lifecycleDelay: number;
  readonly expirySweep: number;
  /** Milliseconds. */
  readonly scrub: number | 'on-demand';
  readonly readStore?: string;
  readonly replicaEndpoint: Readonly<Record<string, string>>;
  readonly replicaSecretFile?: string;
  readonly replicationInterval: number;
  readonly throttle?: true | readonly string[];
  readonly throttleReport?: true | readonly string[];
  readonly weather?: WeatherForecast;
  readonly kinesisEndpoint?: string;
  readonly buckets?: string;
  readonly s3Endpoint?: string;
  readonly backupTo?: string;
  /** Milliseconds, like the following two. */
  readonly backupEvery: number;
  readonly backupSnapshotEvery: number;
  readonly backupKeep: number;
  readonly backupVerify?: boolean;
  readonly checkAtStart: CheckAtStart;
  /** Megabytes. */
  readonly memoryBudget: number;
  readonly logRequests?: boolean;
  readonly metrics?: boolean;
  readonly metricsTokenFile?: string;
  readonly traces?: boolean;
  /** Files or directories containing models. */
  readonly model: readonly string[];
  /** Table names, by the names in the models. */
  readonly table: Readonly<Record<string, string>>;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

/** A running database in this process, with its server. */
export interface Serving {
  readonly server: HttpListener;
  readonly database: Database;
  /** Whether the processes that serve the data tell each other through the store what they consume. */
  readonly sharesThroughStore: boolean;
  /** By identity and by address. */
  readonly limits: SharedLimits;
  /** Also resumes work that other processes have left unfinished. */
  readonly beginBackgroundWork: () => Promise<void>;
  /** Finishes running requests, flushes and closes. */
  readonly stop: () => Promise<void>;
}

/**
 * Opens the database and listens.
 *
 * @throws {UsageError} | {StorageError} with one sentence on the cause; nothing is left open.
 */
export async function startServing(
  flags: ServeFlags,
  options: {
    readonly log: (event: EngineLogEvent) => void;
    readonly level: LogLevelSwitch;
    readonly backgroundWork: 'at-once' | 'on-demand';
    /** Present if this is one of several processes. */
    readonly others?: OtherWorkers;
  },
): Promise<Serving> {
  const { log, backgroundWork } = options;
  collectSeldom();
  const replicaSecret = secretOf(flags);
  const certificate = certificateOf(flags);
  const location = locationOf(flags);
  const metrics = await openServerMetrics(flags, location.kind === 'directory' ? location.directory : undefined);
  const traces = await openServerTraces(flags);
  checkBuckets(flags);
  checkModels(flags);
  if (flags.readStore !== undefined && location.kind !== 'postgres') throw noReadStore();
  await checkBackup(flags, location);
  if (options.others === undefined) await checkAddress(flags, certificate);
  const audit = auditLogOf(flags, log);
  const access =
    flags.auth === undefined
      ? undefined
      : openServerAccess(identityPaths({ ...flags, auth: flags.auth }), { region: flags.region, log });
  const onRequest = requestListener(options, audit, observerOf(metrics, traces));
  const { store, ship, close } = await openServedStore(flags, log);
  if (flags.workers > 1 && !store.manifest.multiProcess) {
    await store.close();
    throw notShared();
  }
  // Loaded when it is first used.
  const models =
    flags.model.length === 0
      ? undefined
      : await openServedModels({ paths: flags.model, tables: flags.table, database: () => database });
  const readStore = await openServedReadStore(flags, location, store);
  const databaseOptions: DatabaseOptions = {
    store,
    readStore,
    region: flags.region,
    oneRegion: flags.oneRegion,
    accountId: flags.account,
    lifecycleDelayMs: flags.lifecycleDelay,
    expirySweepMs: flags.expirySweep,
    scrubMs: flags.memory === true ? 'on-demand' : flags.scrub,
    replicaEndpoints: flags.replicaEndpoint,
    replicaSecret,
    replicationMs: flags.replicationInterval,
    throttle: throttleOf(flags),
    weather: flags.weather,
    kinesisEndpoint: flags.kinesisEndpoint,
    buckets: flags.s3Endpoint === undefined ? flags.buckets : { s3: { endpoint: flags.s3Endpoint } },
    backgroundWork,
    inspection: {
      workers: flags.workers,
      worker: workerNumberOf(process.env),
      peers: options.others && peersOf(options.others),
      logRequests: flags.logRequests,
      models,
    },
    log,
    get onRequest() {
      return onRequest();
    },
  };
  const verified = access && {
    ...access,
    requests: requestLimitOf(flags, log),
    identityRate: rateOf(flags.requestsPerSecondPerIdentity, log),
    addressRate: rateOf(flags.requestsPerSecondPerAddress, log),
  };
  const connections = connectionLimitOf(flags, log);
  const database = await (verified === undefined
    ? createDatabase(databaseOptions)
    : createVerifiedDatabase(databaseOptions, {
        authenticator: verified.authenticator,
        requestLimit: verified.requests,
        requestRate: verified.identityRate,
        ...(audit && { onDenial: (denial) => audit.denial(denial) }),
      }));
  metrics?.measure({ engine: engineOf(database), store });
  const closeDatabase = (): Promise<void> => close(() => database.close());
  const handler: WireHandler = (request) => database.handle(request);
  const withAccess =
    verified === undefined
      ? handler
      : withAddressRate(
          withSts(handler, {
            sts: verified.sts,
            region: flags.region,
            get onRequest() {
              return onRequest();
            },
            onInternalError: (requestId, error) => log({ level: 'error', event: 'request-failed', requestId, error }),
          }),
          {
            rate: verified.addressRate,
            region: flags.region,
            get onRequest() {
              return onRequest();
            },
          },
        );
  const routes = metrics && [metrics.route({ log, others: options.others })];
  const server = await listenOrClose(
    withAccess,
    { database, closeDatabase },
    { flags, certificate, connections, log, routes },
  );
  const stopWatching = certificate && watchCertificate(server, flags, log);
  const stop = async (): Promise<void> => {
    access?.stop();
    metrics?.stop();
    stopWatching?.();
    await server.close();
    await closeDatabase();
    await audit?.flush();
  };
  setTimeout(() => void loadDeferredCode(log), deferredCodeDelayMs).unref();
  const beginBackgroundWork = async (): Promise<void> => {
    await ship?.();
    await database.beginBackgroundWork();
  };
  const sharesThroughStore = store.manifest.multiServer === true;
  const limits = new SharedLimits({ connections, ...verified });
  return { server, database, limits, sharesThroughStore, beginBackgroundWork, stop };
}

/** The other workers, as inspection queries them. */
function peersOf(others: OtherWorkers): Peers {
  return {
    ask: (what) => others.ask({ to: 'inspection', what }),
    answerWith: (answer) => others.answer('inspection', answer),
  };
}

/** The server first answers requests that may have been waiting for it. Milliseconds. */
const deferredCodeDelayMs = 50;

/**
 * Loads rarely used code in advance, before a request or a background task needs it. Node.js remembers failed loads, so a first use while the
 * process has no free file descriptor would make the module fail until the next start.
 */
async function loadDeferredCode(log: (event: EngineLogEvent) => void): Promise<void> {
  try {
    await Promise.all([loadDeferredEngine(), loadDeferredShapes()]);
    log({ level: 'debug', event: 'deferred-code-loaded' });
  } catch (error) {
    log({ level: 'error', event: 'deferred-code-not-loaded', error });
  }
}

async function openServedReadStore(
  { readStore, encryptionKey }: ServeFlags,
  location: StoreLocation,
  store: Store,
): Promise<Store | undefined> {
  if (readStore === undefined) return undefined;
  try {
    return await openReadStore(readStore, location, await encryptionKeysOf(encryptionKey));
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface ServedStore {
  readonly store: Store;
  /** For one of several processes: makes it the one that ships the backup. */
  readonly ship?: () => Promise<unknown>;
  /** Closes the backup, with a function that closes the database and its store. */
  readonly close: (closeStore: () => Promise<void>) => Promise<void>;
}

async function openServedStore(flags: ServeFlags, log: (event: EngineLogEvent) => void): Promise<ServedStore> {
  const location = locationOf(flags);
  const encryptionKeys = await encryptionKeysOf(flags.encryptionKey);
  const { backupTo: url, checkAtStart, s3Endpoint, region } = flags;
  if (url === undefined || location.kind !== 'directory') {
    const store = await openStore(location, { shared: flags.workers > 1, checkAtStart, encryptionKeys });
    return { store, close: (closeStore) => closeStore() };
  }
  const wrappingKeys = await wrappingKeysOf(encryptionKeys);
  const { openBackedUpStore, openSharedBackedUpStore } = await import('../shipping/open-backed-up-store.ts');
  const { openTarget } = await import('../shipping/open-target.ts');
  const verifier = flags.backupVerify === true ? await openVerifier(url, flags, log) : undefined;
  const options = {
    directory: resolve(location.directory),
    url,
    openTarget: () => openTarget(url, { s3Endpoint, region, create: true }),
    settings: { everyMs: flags.backupEvery, snapshotEveryMs: flags.backupSnapshotEvery, keepMs: flags.backupKeep },
    log,
    checkAtStart,
    ...(verifier && { onSnapshot: () => verifier.snapshotWritten() }),
  };
  const opened: ServedStore =
    flags.workers > 1 ? await openSharedBackedUpStore(options) : await openAlone(openBackedUpStore(options));
  // The backup contains what the files contain: encrypted values, and their encrypted data keys.
  const store = await encryptedOrClosed(opened.store, wrappingKeys, () => opened.close(() => opened.store.close()));
  const close = async (closeStore: () => Promise<void>): Promise<void> => {
    await verifier?.stop();
    await opened.close(closeStore);
  };
  return { ...opened, store, close };
}

async function openAlone(opening: Promise<BackedUpStore>): Promise<ServedStore> {
  const { store, shipper } = await opening;
  return { store, close: (closeStore) => shipper.close(closeStore) };
}

async function openVerifier(
  url: string,
  { encryptionKey, s3Endpoint, region }: ServeFlags,
  log: (event: EngineLogEvent) => void,
): Promise<SnapshotVerifier> {
  const { SnapshotVerifier } = await import('./backup/snapshot-verifier.ts');
  const given = { 'encryption-key': encryptionKey, 's3-endpoint': s3Endpoint, region };
  const flags = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return new SnapshotVerifier({ url, flags, log });
}

/** @throws {UsageError} if the file cannot be written. */
function auditLogOf({ auditLog }: ServeFlags, log: (event: EngineLogEvent) => void): AuditLog | undefined {
  if (auditLog === undefined) return undefined;
  const onError = (error: unknown): void => log({ level: 'error', event: 'audit-log-failed', file: auditLog, error });
  try {
    return new AuditLog({ file: auditLog, nowMs: () => Date.now(), onError });
  } catch (error) {
    throw new UsageError(systemProblem(error) ?? `${auditLog} cannot be written: ${String(error)}`, { cause: error });
  }
}

function throttleOf({ throttle, throttleReport }: ServeFlags): DatabaseOptions['throttle'] {
  if (throttle !== undefined) return throttle === true ? true : { tables: throttle };
  if (throttleReport !== undefined)
    return throttleReport === true ? 'report' : { tables: throttleReport, report: true };
  return undefined;
}

/** Combines two observers; returns the only one if there is one. */
function observerOf(
  metrics: Pick<ServerTraces, 'observe'> | undefined,
  traces: ServerTraces | undefined,
): ((event: RequestEvent) => void) | undefined {
  if (traces === undefined) return metrics?.observe;
  return (event) => {
    metrics?.observe(event);
    traces.observe(event);
  };
}

/** @returns the present listener: requests are logged at the level `debug`. Undefined if nothing observes them, so that they are not measured. */
function requestListener(
  { log, level }: { readonly log: (event: EngineLogEvent) => void; readonly level: LogLevelSwitch },
  audit: AuditLog | undefined,
  observe: ((event: RequestEvent) => void) | undefined,
): () => ((event: RequestEvent) => void) | undefined {
  const audited =
    audit === undefined
      ? observe
      : (event: RequestEvent): void => {
          observe?.(event);
          audit.request(event);
        };
  const logged = (event: RequestEvent): void => {
    audited?.(event);
    log({ level: 'debug', event: 'request', ...event });
  };
  return () => (level.present === 'debug' ? logged : audited);
}

function requestLimitOf(flags: ServeFlags, log: (event: EngineLogEvent) => void): RequestLimit {
  return new RequestLimit({
    perIdentity: flags.requestsPerIdentity,
    bytesPerIdentity: callerBytesOf(flags, flags.memoryPerIdentity),
    onRefused: refusalLog({
      log,
      nowMs: () => performance.now(),
      line: (identity) => ({ level: 'warn', event: 'requests-refused', identity }),
    }),
  });
}

const megabyte = 1024 * 1024;

function callerBytesOf({ memoryBudget }: ServeFlags, megabytes: number | undefined): number {
  return megabytes === undefined ? callerBudgetBytes(memoryBudget * megabyte) : megabytes * megabyte;
}

function connectionLimitOf(
  { connectionsPerAddress }: ServeFlags,
  log: (event: EngineLogEvent) => void,
): ConnectionLimit {
  return new ConnectionLimit({
    perAddress: connectionsPerAddress,
    onRefused: refusalLog({
      log,
      nowMs: () => performance.now(),
      line: (address) => ({ level: 'warn', event: 'connections-refused', address }),
    }),
  });
}

/** Identities and addresses that exceed their request rate are logged like those that exceed their number of concurrent requests. */
function rateOf(perSecond: number | undefined, log: (event: EngineLogEvent) => void): RequestRate {
  return new RequestRate({
    perSecond,
    nowMs: () => performance.now(),
    onRefused: refusalLog({
      log,
      nowMs: () => performance.now(),
      line: (caller) => ({ level: 'warn', event: 'rate-exceeded', caller }),
    }),
  });
}

/** A renewed certificate takes effect without a restart; an invalid one changes nothing. @returns a function that stops watching. */
function watchCertificate(server: HttpListener, flags: ServeFlags, log: (event: EngineLogEvent) => void): () => void {
  return watchFiles([flags.tlsCert ?? '', flags.tlsKey ?? ''], () => {
    try {
      const certificate = certificateOf(flags);
      if (certificate !== undefined) server.setCertificate(certificate);
      log({ level: 'info', event: 'certificate-read' });
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof ListenError)) throw error;
      log({
        level: 'error',
        event: 'certificate-unusable',
        error: error.message,
        consequence: 'the last good one stays',
      });
    }
  });
}

/** The models of `--model`. Their toolkit is loaded on first use. */
async function openServedModels(options: ServedModelsOptions): Promise<ModelSource> {
  const { ServedModels } = await import('./model/served-models.ts');
  return new ServedModels(options);
}

/** Finishes running requests, flushes, and ends this process, with exit code 0 on success. */
export async function finish({ stop }: Serving, log: (event: EngineLogEvent) => void): Promise<never> {
  try {
    await stop();
  } catch (error) {
    log({ level: 'error', event: 'stop-failed', error });
    process.exit(1);
  }
  process.exit(0);
}

/** @throws {UsageError} for an unknown store. */
export function locationOf(flags: ServeFlags): StoreLocation {
  if (flags.memory === true) return { kind: 'memory' };
  if (flags.store !== undefined) {
    try {
      return storeLocationOf(flags.store);
    } catch (error) {
      throw error instanceof StorageError ? new UsageError(error.message, { cause: error }) : error;
    }
  }
  return { kind: 'directory', directory: flags.data };
}

/** The error if several processes are requested and each would have its own data. */
export function notShared(): UsageError {
  return new UsageError(
    '--workers needs data that several processes can share: keep it in a directory (--data), or serve with one process.',
  );
}

/** @throws {UsageError} if it is required and missing, cannot be read, or is too short. */
export function secretOf({ replicaEndpoint, replicaSecretFile }: ServeFlags): string | undefined {
  if (replicaSecretFile === undefined) {
    if (Object.keys(replicaEndpoint).length === 0) return undefined;
    throw new UsageError('--replica-endpoint needs --replica-secret-file: the other servers have to know this one.');
  }
  let secret: string;
  try {
    secret = readFileSync(replicaSecretFile, 'utf8').trim();
  } catch (error) {
    throw fileProblem(replicaSecretFile, error);
  }
  if (secret.length < secretLengthMin) {
    throw new UsageError(`The replica secret in ${replicaSecretFile} has fewer than ${secretLengthMin} characters.`);
  }
  return secret;
}

const secretLengthMin = 16;

/** @throws {UsageError} if `--buckets` does not name a directory. */
function checkBuckets({ buckets }: ServeFlags): void {
  if (buckets === undefined) return;
  try {
    if (statSync(buckets).isDirectory()) return;
  } catch (error) {
    throw fileProblem(buckets, error);
  }
  throw new UsageError(`--buckets takes a directory, with a directory in it for each bucket: ${buckets} is a file.`);
}

/** The models are loaded later. @throws {UsageError} if there is nothing to load. */
function checkModels({ model }: ServeFlags): void {
  for (const path of model) {
    try {
      accessSync(path);
    } catch (error) {
      throw fileProblem(path, error);
    }
  }
}

/** @throws {UsageError} if this data cannot be backed up to this target. */
async function checkBackup({ backupTo: url, backupVerify }: ServeFlags, location: StoreLocation): Promise<void> {
  if (url === undefined) {
    if (backupVerify === true) throw new UsageError('--backup-verify goes with --backup-to.');
    return;
  }
  if (location.kind !== 'directory') {
    throw new UsageError(
      location.kind === 'memory'
        ? '--backup-to needs data that is kept: name a directory with --data.'
        : '--backup-to copies the files of a directory; back up PostgreSQL with its own tools (docs/scale-out.md).',
    );
  }
  const { checkTarget } = await import('../shipping/open-target.ts');
  try {
    await checkTarget(url);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Closes the database if the port is in use. */
async function listenOrClose(
  handler: WireHandler,
  { database, closeDatabase }: { readonly database: Database; readonly closeDatabase: () => Promise<void> },
  {
    flags,
    certificate,
    connections,
    log,
    routes,
  }: {
    readonly flags: ServeFlags;
    readonly certificate: Certificate | undefined;
    readonly connections: ConnectionLimit;
    readonly log: (event: EngineLogEvent) => void;
    readonly routes: readonly Route[] | undefined;
  },
): Promise<HttpListener> {
  try {
    const memoryBudgetBytes = flags.memoryBudget * megabyte;
    return await serveHandler(database, handler, {
      port: flags.port,
      host: flags.host,
      cors: flags.cors,
      isAuthenticated: flags.auth !== undefined,
      tls: certificate,
      memoryBudgetBytes,
      ...(flags.auth !== undefined && { memoryBytesPerAddress: callerBytesOf(flags, flags.memoryPerAddress) }),
      connectionLimit: connections,
      onError: (error) => log({ level: 'error', event: 'listen-failed', error: error.message }),
      routes,
    });
  } catch (error) {
    await closeDatabase();
    throw error instanceof ListenError ? new UsageError(listenProblem(error, flags), { cause: error }) : error;
  }
}

/**
 * Checks that the server will be able to listen, before it opens or creates data.
 *
 * @throws {UsageError} if not.
 */
export async function checkAddress(
  flags: ServeFlags,
  certificate: Certificate | undefined = certificateOf(flags),
): Promise<void> {
  try {
    await checkListen({ host: flags.host, port: flags.port, tls: certificate });
  } catch (error) {
    throw error instanceof ListenError ? new UsageError(listenProblem(error, flags), { cause: error }) : error;
  }
}

function listenProblem(error: ListenError, { host, port }: ServeFlags): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use: choose another with --port, or --port 0 for any free one.`;
    case 'EACCES':
      return `Port ${port} may not be used by this user: choose one above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}: use --host 127.0.0.1.`;
    default:
      return `Cannot listen on ${host}:${port}: ${error.message}`;
  }
}
