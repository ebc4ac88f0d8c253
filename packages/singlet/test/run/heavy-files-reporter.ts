import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** A run of fewer files says nothing about shares. */
const filesMin = 400;
/** Of the CPU time of the whole run. The stories of twelve applications in a browser, one file, are estimated at a tenth. */
const shareMax = 0.15;
const listed = 12;

/**
 * Lists the test files that use the most CPU time, and fails a whole run in which one file uses more than `shareMax` of it. Shares hardly depend
 * on the machine, or on what else it does.
 */
export class HeavyFilesReporter implements Reporter {
  /** After each file, so that a run that is stopped leaves what it has. */
  onTestModuleEnd(module: TestModule): void {
    const list = process.env['TEST_CPU_LIST'];
    if (list !== undefined) writeList(list, [fileCpu(module)]);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < filesMin) return;
    const { text, isTooHeavy } = heavyFiles(modules.map(fileCpu));
    process.stdout.write(text);
    if (isTooHeavy) process.exitCode = 1;
  }
}

interface FileCpu {
  readonly file: string;
  readonly cpuMs: number;
}

function fileCpu(module: TestModule): FileCpu {
  return { file: module.relativeModuleId, cpuMs: module.meta().cpuMs ?? 0 };
}

/** Writes the CPU time of files into a list, the heaviest first, as JSON. Those of earlier runs stay in it. */
export function writeList(path: string, files: readonly FileCpu[]): void {
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, number>>) : {};
  const all = { ...before, ...Object.fromEntries(files.map(({ file, cpuMs }) => [file, Math.round(cpuMs)])) };
  const sorted = Object.entries(all).toSorted(([, left], [, right]) => right - left);
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}

/** The list of the heaviest files, and whether the first of them is too heavy. */
export function heavyFiles(files: readonly FileCpu[]): { readonly text: string; readonly isTooHeavy: boolean } {
  const wholeMs = files.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  const heaviest = files.toSorted((left, right) => right.cpuMs - left.cpuMs).slice(0, listed);
  const lines = heaviest.map(
    ({ file, cpuMs }) => `${seconds(cpuMs)} ${((100 * cpuMs) / wholeMs).toFixed(1).padStart(5)} %  ${file}`,
  );
  const tooHeavy = heaviest.filter(({ cpuMs }) => cpuMs > shareMax * wholeMs).map(({ file }) => file);
  const failure = `\nMore than ${100 * shareMax} % of the CPU time of all tests: ${tooHeavy.join(', ')}. CONTRIBUTING.md says what to do.\n`;
  return {
    text: `\nCPU time of ${files.length} test files: ${seconds(wholeMs).trim()}; the heaviest:\n${lines.join('\n')}\n${tooHeavy.length > 0 ? failure : ''}`,
    isTooHeavy: tooHeavy.length > 0,
  };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(7)} s`;
}
