import { load } from '@singlet/model/samples';
import { describe, expect, test } from 'vitest';
import { drawn } from '../testing/drawn.ts';
import { useWorkbench } from '../testing/workbench.ts';
import { BOOK, databases, listed, NO_REACTIONS, openSite } from './fixture.ts';
import { github } from './model.ts';

describe.each(drawn('a repo with a thousand issues', databases))('a repo with a thousand issues, $name', (database) => {
  const workbench = useWorkbench(database);

  test('GH check 7: open ones are found behind 900 closed ones, page after page', async () => {
    const { table, logged } = await openSite(workbench());
    const items = Array.from({ length: 1000 }, (_, index) => ({
      ...BOOK,
      title: `${index + 1}`,
      author: 'happy-harry',
      number: index + 1,
      status: index < 100 ? ('Open' as const) : ('Closed' as const),
      createdAt: '2019-12-01T00:00:00.000Z',
      reactionCounts: NO_REACTIONS,
    }));
    await load(github, 'Issue', items, { client: workbench().client, tables: { GitHubTable: table.name } });

    const { issues, requests } = logged();
    const first = await issues.of(BOOK, { status: 'Open' });
    const expected = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(listed(first.repo, first.issues)).toEqual(['dynamodb-book', ...expected.slice(0, 25)]);
    expect(requests[0]?.output).toMatchObject({ ScannedCount: 76, Count: 1 });
    expect(requests.length).toBeLessThanOrEqual(5);

    const rest: number[] = [];
    for (let { cursor } = first; cursor !== undefined;) {
      const page = await issues.of(BOOK, { status: 'Open', cursor });
      expect(page.repo).toBeUndefined();
      rest.push(...page.issues.map(({ number }) => number));
      ({ cursor } = page);
    }
    expect(rest).toEqual(expected.slice(25));
  });
});
