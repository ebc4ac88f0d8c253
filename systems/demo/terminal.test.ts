import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Terminal } from './terminal.ts';

function recordingStream(isTTY: boolean): { isTTY: boolean; text: string; write(text: string): void } {
  return {
    isTTY,
    text: '',
    write(text) {
      this.text += text;
    },
  };
}

describe('the terminal of a demo', () => {
  test('writes plain lines where the output is not a terminal, whatever is asked for', () => {
    const stream = recordingStream(false);
    const terminal = new Terminal(stream, { colour: true });
    terminal.heading('Figures');
    terminal.line(terminal.accent('EC-01') + terminal.dim(' dim'));
    expect(stream.text).toBe('\nFigures\n───────\nEC-01 dim\n');
  });

  test('says the same with and without colour', () => {
    const [coloured, plain] = [recordingStream(true), recordingStream(true)];
    for (const [stream, colour] of [
      [coloured, true],
      [plain, false],
    ] as const) {
      const terminal = new Terminal(stream, { colour });
      terminal.heading('Figures');
      terminal.line(terminal.bold('bold'));
    }
    expect(coloured.text).not.toBe(plain.text);
    expect(stripVTControlCharacters(coloured.text)).toBe(plain.text);
  });

  test('shows progress as a line at every tenth where it cannot redraw', () => {
    const stream = recordingStream(false);
    const progress = new Terminal(stream, { colour: true }).progress(40);
    for (let step = 1; step <= 40; step += 1) {
      progress.step(`step ${step}`);
    }
    progress.finish();
    const lines = stream.text.trimEnd().split('\n');
    expect(lines).toHaveLength(10);
    expect(lines[0]).toMatch(/^ 10% +4 of 40 +\d+\/s {2}step 4$/);
    expect(lines[9]).toMatch(/^100% {2}40 of 40 +\d+\/s {2}step 40$/);
  });

  test('shows progress as one line that fills up where it can', () => {
    const stream = recordingStream(true);
    const progress = new Terminal(stream, { colour: false }).progress(3);
    progress.step('one');
    progress.step('two');
    progress.step('three');
    progress.finish();
    const drawings = stream.text.split('\r\u001b[K');
    expect(drawings.at(1)).toMatch(/^█+░+ +33% {2}1 of 3 +\d+\/s {2}one$/);
    expect(drawings.at(-1)).toMatch(/^█{32} +100% {2}3 of 3 +\d+\/s {2}three\n$/);
  });
});
