import type { EngineLogEvent } from '../engine/index.ts';
import type { LogLevel } from './logger.ts';

/** The level of the log while a server runs: SIGUSR2 changes it to `debug`, and back to the one it was started with. */
export class LogLevelSwitch {
  readonly #started: LogLevel;
  #present: LogLevel;

  constructor(level: LogLevel) {
    this.#started = level;
    this.#present = level;
  }

  get present(): LogLevel {
    return this.#present;
  }

  /**
   * Begins to listen. Windows has no such signal.
   *
   * @param passOn - tells other processes of the same server, which the signal does not reach.
   */
  listen(log: (event: EngineLogEvent) => void, passOn: () => void = () => undefined): void {
    if (process.platform === 'win32') return;
    process.on('SIGUSR2', () => {
      this.#present = this.#present === 'debug' ? this.#started : 'debug';
      log({ level: 'warn', event: 'log-level-changed', present: this.#present });
      passOn();
    });
  }
}
