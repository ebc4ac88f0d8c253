import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';

/** An event of a trace of the browser. */
export interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  /** Of the processor. */
  readonly tdur?: number;
}

/** What the browser did meanwhile, on the thread of the page. */
export async function traced(browser: Browser, page: Page, story: () => Promise<void>): Promise<readonly TraceEvent[]> {
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', 'blink.user_timing'] });
  await page.evaluate(() => performance.mark('this page'));
  await story();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const mark = traceEvents.find(({ cat, name }) => cat.includes('blink.user_timing') && name === 'this page');
  expect(mark).toBeDefined();
  return traceEvents.filter(({ pid, tid }) => pid === mark?.pid && tid === mark.tid);
}

export function isTask({ name, ph, dur }: TraceEvent): boolean {
  return name.endsWith('RunTask') && ph === 'X' && dur !== undefined;
}

export function milliseconds(microseconds: number | undefined): number {
  return (microseconds ?? 0) / 1000;
}
