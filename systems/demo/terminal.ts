/** The part of a standard output that is used. */
export interface TextStream {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

const BAR_WIDTH = 32;
const REDRAW_MS = 80;
const PLAIN_STEPS = 10;

/**
 * Writes to a terminal, or, where the output is not one, plain lines without colours and without redrawing.
 * Colour never carries information alone.
 */
export class Terminal {
  readonly #stream: TextStream;
  readonly #coloured: boolean;

  constructor(stream: TextStream, options: { readonly colour: boolean }) {
    this.#stream = stream;
    this.#coloured = options.colour && stream.isTTY === true;
  }

  line(text = ''): void {
    this.#stream.write(`${text}\n`);
  }

  heading(text: string): void {
    this.line();
    this.line(this.bold(text));
    this.line(this.dim('─'.repeat(text.length)));
  }

  bold(text: string): string {
    return this.#styled('1', text);
  }

  dim(text: string): string {
    return this.#styled('2', text);
  }

  accent(text: string): string {
    return this.#styled('36', text);
  }

  /** Starts a progress display of `total` steps; call `finish` on what it returns, also after a failure. */
  progress(total: number): Progress {
    return this.#stream.isTTY ? new LiveProgress(this, this.#stream, total) : new PlainProgress(this, total);
  }

  #styled(code: string, text: string): string {
    return this.#coloured ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}

export interface Progress {
  /** One step is done. `note` shows the progress, such as the time of day. */
  step(note: string): void;
  finish(): void;
}

/** Redraws one line: bar, share, count, rate, note. */
class LiveProgress implements Progress {
  readonly #terminal: Terminal;
  readonly #stream: TextStream;
  readonly #meter: Meter;
  #note = '';
  #drawnAtMs = -Infinity;

  constructor(terminal: Terminal, stream: TextStream, total: number) {
    this.#terminal = terminal;
    this.#stream = stream;
    this.#meter = new Meter(total);
  }

  step(note: string): void {
    this.#meter.done += 1;
    this.#note = note;
    if (performance.now() - this.#drawnAtMs >= REDRAW_MS) {
      this.#draw();
    }
  }

  finish(): void {
    this.#draw();
    this.#stream.write('\n');
  }

  #draw(): void {
    const filled = Math.round(this.#meter.share * BAR_WIDTH);
    const bar = this.#terminal.accent('█'.repeat(filled)) + this.#terminal.dim('░'.repeat(BAR_WIDTH - filled));
    this.#stream.write(`\r\u001b[K${bar} ${this.#meter.text()}  ${this.#terminal.bold(this.#note)}`);
    this.#drawnAtMs = performance.now();
  }
}

/** Writes a line at every tenth. */
class PlainProgress implements Progress {
  readonly #terminal: Terminal;
  readonly #meter: Meter;
  #writtenSteps = 0;

  constructor(terminal: Terminal, total: number) {
    this.#terminal = terminal;
    this.#meter = new Meter(total);
  }

  step(note: string): void {
    this.#meter.done += 1;
    const steps = Math.floor(this.#meter.share * PLAIN_STEPS);
    if (steps > this.#writtenSteps) {
      this.#writtenSteps = steps;
      this.#terminal.line(`${this.#meter.text()}  ${note}`);
    }
  }

  finish(): void {}
}

class Meter {
  done = 0;
  readonly #total: number;
  readonly #startedAtMs = performance.now();

  constructor(total: number) {
    this.#total = total;
  }

  get share(): number {
    return this.#total === 0 ? 1 : this.done / this.#total;
  }

  text(): string {
    const seconds = Math.max((performance.now() - this.#startedAtMs) / 1000, 0.001);
    const percent = `${Math.floor(this.share * 100)}%`.padStart(4);
    const rate = `${Math.round(this.done / seconds)}/s`.padStart(7);
    return `${percent}  ${String(this.done).padStart(String(this.#total).length)} of ${this.#total}  ${rate}`;
  }
}
