import { expect, test } from 'vitest';
import { demoOutput } from '../testing/demo-output.ts';
import { supportDeskDemo } from './demo.ts';

test('the demo plays a day, with a request of every pattern', async () => {
  const demo = supportDeskDemo({ tickets: 40 });
  const output = await demoOutput(demo);
  expect(output).toContain('40 tickets were opened, 40 closed');
  expect(output).toMatch(/\d+ times an agent was too late/);
  expect(output).toMatch(/Query on \S+, index GSI3/);
  expect(output).not.toContain('no request');
  for (const { id, title } of demo.patterns) {
    expect(output).toContain(`${id}  ${title}`);
  }
});
