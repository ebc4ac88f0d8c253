import type { EngineLogEvent } from '../engine/index.ts';
import type { LogLevel } from './logger.ts';

/** The log level of a running server. SIGUSR2 switches it between `debug` and the level it was started with. */
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
   * Starts listening for the signal, which Windows does not have.
   *
   * @param passOn - notifies other processes of the same server, which the signal does not reach.
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
