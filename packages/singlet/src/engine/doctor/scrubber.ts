import { outcomeOf, repeatTask, runAlone } from '../background/background-task.ts';
import type { EngineServices } from '../services.ts';
import { ScrubPass } from './scrub-pass.ts';
import type { ScrubReport } from './scrub-report.ts';

/** Values are read at this pace. */
const scrubBytesPerSecond: number = 5 * 1024 * 1024;

/** How often it is looked whether a pass is due; the first begins after so long. Milliseconds. */
const lookIntervalMs = 10 * 60 * 1000;

/** The passes of an engine over its data. There is one at a time. */
export class Scrubber {
  readonly #services: EngineServices;
  #pass: ScrubPass | undefined;

  constructor(services: EngineServices) {
    this.#services = services;
  }

  /** Of the pass that runs, or the last one. */
  get report(): ScrubReport | undefined {
    return this.#pass?.report;
  }

  /** Begins a pass, unless one runs. */
  start(bytesPerSecond: number): void {
    this.#services.environment.tasks.spawn('scrub', async () => {
      try {
        await this.run(bytesPerSecond);
      } catch (error) {
        // The report says so.
        if (outcomeOf(error) === 'failed') throw error;
      }
    });
  }

  /** Makes a pass, unless one runs. */
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
