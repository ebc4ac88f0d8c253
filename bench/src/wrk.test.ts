import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { httpRequest } from './requests.ts';
import { canWrkMeasure, driveWithWrk, isWrkInstalled, WrkRing } from './wrk.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server that records the bodies it receives. @returns its port. */
async function noting(bodies: string[], statusOf: (body: string) => number): Promise<number> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString();
      if (bodies.length < 1000) bodies.push(body);
      response.writeHead(statusOf(body), { 'content-length': 2 });
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => await new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

it('measures whole seconds only', () => {
  expect([1000, 3000, 50, 1500, 0].map(canWrkMeasure)).toEqual([true, true, false, false, false]);
});

describe.runIf(isWrkInstalled())('wrk', () => {
  it('sends the requests of a ring in turn, from where it is told, and counts what is refused', async () => {
    const words = ['first', 'größer', 'refused'];
    const requests = words.map((word) => httpRequest({ action: 'GetItem', input: { word } }));
    const ring = new WrkRing(requests);
    closers.push(async () => await Promise.resolve(ring.remove()));
    const bodies: string[] = [];
    const port = await noting(bodies, (body) => (body.includes('refused') ? 400 : 200));
    const run = { port, serverProcessId: process.pid, concurrency: 1, durationMs: 1000, ring };
    const figures = await driveWithWrk({ ...run, firstRequest: 4 });
    const sent = bodies.slice(0, 5).map((body) => (JSON.parse(body) as { word: string }).word);
    expect(sent).toEqual(['größer', 'refused', 'first', 'größer', 'refused']);
    expect(figures.requests).toBeGreaterThan(10);
    expect(figures.errors).toBeGreaterThan(0);
    expect(figures.errors).toBeLessThan(figures.requests);
    expect(figures.firstError).toContain('wrk');
    expect(figures.requestsPerSecond).toBeCloseTo(figures.requests / figures.seconds, 3);
    expect(figures.p99Ms).toBeGreaterThanOrEqual(figures.p50Ms);
    expect(figures.subjectCpuMicroseconds).toBeGreaterThan(0);
  });

  it('says when the server is not there', async () => {
    const ring = new WrkRing([httpRequest({ action: 'GetItem', input: {} })]);
    closers.push(async () => await Promise.resolve(ring.remove()));
    const run = { port: 1, serverProcessId: process.pid, concurrency: 1, durationMs: 1000, ring, firstRequest: 0 };
    await expect(driveWithWrk(run)).rejects.toThrow(/wrk/);
  });
});
