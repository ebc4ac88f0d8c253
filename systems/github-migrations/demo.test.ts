import { expect, test } from 'vitest';
import { demoOutput } from '../testing/demo-output.ts';
import { githubMigrationsDemo } from './demo.ts';

test('the demo migrates while writers are at work, and shows a request of every pattern', async () => {
  const demo = githubMigrationsDemo({ scale: 0.001 });
  const output = await demoOutput(demo);
  expect(output).toContain('1 repos with 200 issues');
  expect(output).toMatch(
    /MIG-4: .*\n─+\n1\. create index GSI4 of GitHubTable\n2\. write items of GitHubTable: Repo, Issue\n/,
  );
  expect(output).toMatch(/GSI4: Issue #ISSUE#CLOSED# (\d+) of \1, Issue ISSUE#OPEN# (\d+) of \2, Repo (\d+) of \3\./);
  expect(output).toMatch(/A page of open issues: \d+ items were read for it before, 26 are now/);
  expect(output).toMatch(/\d+ answers of 24 old and new patterns are those of a site in plain memory/);
  expect(output).not.toContain('no request');
  for (const { id, title } of demo.patterns) {
    expect(output).toContain(`${id}  ${title}`);
  }
});
