import { outcomeOf, repeatTask, runAlone } from '../background/background-task.ts';
import type { EngineServices } from '../services.ts';
import { ScrubPass } from './scrub-pass.ts';
import type { ScrubReport } from './scrub-report.ts';

/** The rate at which values are read. */
const scrubBytesPerSecond: number = 5 * 1024 * 1024;

/** How often the scrubber checks whether a pass is due. The first pass begins after this time. Milliseconds. */
const lookIntervalMs = 10 * 60 * 1000;

/** The passes of an engine over its data, one at a time. */
export class Scrubber {
  readonly #services: EngineServices;
  #pass: ScrubPass | undefined;

  constructor(services: EngineServices) {
    this.#services = services;
  }

  /** The report of the running pass, or of the last one. */
  get report(): ScrubReport | undefined {
    return this.#pass?.report;
  }

  /** Begins a pass, unless one runs. */
  start(bytesPerSecond: number): void {
    this.#services.environment.tasks.spawn('scrub', async () => {
      try {
        await this.run(bytesPerSecond);
      } catch (error) {
        // The report contains the error.
        if (outcomeOf(error) === 'failed') throw error;
      }
    });
  }

  /** Runs a pass, unless one is running. */
  async run(bytesPerSecond: number): Promise<void> {
    await runAlone(this.#services, 'scrub', async () => {
      this.#pass = new ScrubPass(this.#services, bytesPerSecond);
      await this.#pass.run();
      const { startedAtMs, endedAtMs = startedAtMs, tables, entries, bytes, findingCount } = this.#pass.report;
      this.#services.environment.log({
        level: findingCount === 0 ? 'info' : 'error',
        event: 'scrub-ended',
        durationMs: endedAtMs - startedAtMs,
        tables,
        entries,
        bytes,
        findings: findingCount,
      });
    });
  }

  /** Resolves when the engine closes. */
  async runRegularly(everyMs: number): Promise<void> {
    const { clock } = this.#services.environment;
    await repeatTask(this.#services, {
      name: 'scrub',
      everyMs: Math.min(everyMs, lookIntervalMs),
      postponedEvent: 'scrub-postponed',
      run: async () => {
        const lastMs = this.report?.startedAtMs;
        if (lastMs === undefined || clock.nowMs() - lastMs >= everyMs) await this.run(scrubBytesPerSecond);
      },
    });
  }
}
