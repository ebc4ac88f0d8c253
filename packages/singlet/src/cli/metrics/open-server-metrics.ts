import { readFileSync, statSync } from 'node:fs';
import type Prometheus from 'prom-client';
import type { Route } from '../../database/health-route.ts';
import type { Engine, EngineLogEvent } from '../../engine/index.ts';
import type { RequestEvent } from '../../server/index.ts';
import type { Store } from '../../storage/index.ts';
import { missingPackage } from '../../values/missing-package.ts';
import { fileProblem } from '../file-problem.ts';
import { UsageError } from '../usage-error.ts';
import type { OtherWorkers } from '../workers/other-workers.ts';
import { metricsRoute } from './metrics-route.ts';
import type { MetricValues } from './server-metrics.ts';

/** The flags that metrics depend on. */
export interface MetricsFlags {
  readonly metrics?: boolean;
  readonly metricsTokenFile?: string;
  readonly auth?: string;
}

/** The metrics of a server in this process. */
export interface OpenMetrics {
  readonly observe: (event: RequestEvent) => void;
  readonly measure: (server: { readonly engine: Engine; readonly store: Store }) => void;
  /** @param options.others - the processes whose values are added; undefined if this is the only one. */
  readonly route: (options: {
    readonly log: (event: EngineLogEvent) => void;
    readonly others: OtherWorkers | undefined;
  }) => Route;
  readonly stop: () => void;
}

/**
 * Loads the metrics code, if metrics are enabled.
 *
 * @param directory - of the data files; undefined if there are none.
 * @throws {UsageError} if the package is not installed, and for a token that is missing or cannot be read.
 */
export async function openServerMetrics(
  flags: MetricsFlags,
  directory: string | undefined,
): Promise<OpenMetrics | undefined> {
  if (flags.metrics !== true) return undefined;
  const token = tokenOf(flags);
  const { ServerMetrics } = await import('./server-metrics.ts');
  const metrics = new ServerMetrics(await loadPrometheus());
  return {
    observe: (event) => metrics.observe(event),
    measure: (server) => metrics.measure({ ...server, directory, nowMs: () => Date.now() }),
    route: ({ log, others }) => {
      others?.answer('metrics', () => metrics.values());
      return metricsRoute({
        token,
        // The values of the workers were produced by this class.
        page: async () => {
          const [own, elsewhere = []] = await Promise.all([metrics.values(), others?.ask({ to: 'metrics' })]);
          return metrics.page([own, ...(elsewhere as readonly MetricValues[])]);
        },
        onError: (error) => log({ level: 'error', event: 'metrics-failed', error }),
      });
    },
    stop: () => metrics.stop(),
  };
}

async function loadPrometheus(): Promise<typeof Prometheus> {
  try {
    return (await import('prom-client')).default;
  } catch (error) {
    const missing = missingPackage('singlet serve', error);
    throw missing === undefined ? error : new UsageError(missing.message, { cause: error });
  }
}

/** The minimum length of a token, and the maximum size of its file: characters and bytes. */
const tokenLengthMin = 16;
const tokenFileBytesMax = 1024;

function tokenOf({ auth, metricsTokenFile: file }: MetricsFlags): string | undefined {
  if (file === undefined) {
    if (auth === undefined) return undefined;
    throw new UsageError(
      'With --auth, --metrics needs --metrics-token-file: a file with the token that Prometheus sends (authorization: credentials_file).',
    );
  }
  const text = readToken(file).trim();
  if (text.length >= tokenLengthMin && /^[\x21-\x7e]+$/.test(text)) return text;
  throw new UsageError(
    `${file} holds no token: it takes at least ${tokenLengthMin} characters without blanks in between.`,
  );
}

function readToken(file: string): string {
  try {
    if (statSync(file).size <= tokenFileBytesMax) return readFileSync(file, 'utf8');
  } catch (cause) {
    throw fileProblem(file, cause);
  }
  throw new UsageError(`${file} is larger than ${tokenFileBytesMax} bytes: it holds no token.`);
}
