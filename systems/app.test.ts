import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('./app.ts', import.meta.url));

test.each(['github', 'big-time-deals', 'support-desk', 'session-store', 'e-commerce', 'blog'])(
  '%s is served, with its page and its description, until it is told to end',
  async (name) => {
    const child = spawn(process.execPath, ['--import', 'tsx', program, name, '--port', '0', '--scale', '0.002'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      let url: string | undefined;
      for await (const line of createInterface(child.stdout)) {
        url = /^The application is on (\S+);/.exec(line)?.[1];
        if (url !== undefined) break;
      }
      expect(url).toBeDefined();
      const page = await fetch(`${url}/`);
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining('text/html') as string,
      ]);
      expect(await page.text()).toContain('<title>');
      const description = (await (await fetch(`${url}/openapi.json`)).json()) as { openapi: string };
      expect(description.openapi).toMatch(/^3\.1/);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
  },
);
