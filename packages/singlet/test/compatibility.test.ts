import { readFileSync } from 'node:fs';
import * as sdk from '@aws-sdk/client-dynamodb';
import * as streams from '@aws-sdk/client-dynamodb-streams';
import { describe, expect, test } from 'vitest';
import { actionNames, actionTable } from '../src/engine/index.ts';
import { createDatabase, DynamoError } from '../src/index.ts';

/** The documentation lists the same actions as the SDK, and its statements about each are true. */
const page = readFileSync(new URL('../../../docs/compatibility.md', import.meta.url), 'utf8');
const list = page.slice(page.indexOf('## Actions'), page.indexOf('## Deliberate differences'));
const documented = new Map(
  Array.from(
    list.matchAll(/^\|\s+([A-Za-z]+)(?: \(streams\))?\s+\|\s+(.+?)\s+\|$/gm),
    ([, action = '', state = '']) => [action, state],
  ),
);
documented.delete('Action');

describe('docs/compatibility.md', () => {
  test('has a row for each action that the newest SDK knows, of tables and of streams, and no other', () => {
    const actions = [...Object.keys(sdk), ...Object.keys(streams)]
      .filter((name) => name.endsWith('Command') && name !== '$Command')
      .map((name) => name.slice(0, -'Command'.length));
    expect([...documented.keys()].toSorted()).toEqual(actions.toSorted());
  });

  test('says of each action of the table that it is there, and of no other', () => {
    const present = [...documented].flatMap(([action, state]) => (state.startsWith('not yet') ? [] : [action]));
    const ours = actionNames.filter((action) => actionTable[action].api !== 'singlet');
    expect(present.toSorted()).toEqual(ours.toSorted());
  });

  test.each([...documented])('%s: %s', async (action, state) => {
    const database = await createDatabase();
    const error = await database.request(action, {}).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    await database.close();
    const isKnown = !(error instanceof DynamoError && error.name === 'UnknownOperationException');
    expect(isKnown).toBe(!state.startsWith('not yet'));
  });
});
