import { check } from '@singlet/model/check';
import { expect, test } from 'vitest';
import { exampleModelsIn } from '../testing/example-models.ts';

const models = [
  ...(await exampleModelsIn(new URL('./', import.meta.url))),
  ...(await exampleModelsIn(new URL('../patterns/', import.meta.url))),
];

test.each(models)('the checker has nothing against $name', ({ model }) => {
  const { findings } = check(model);
  const open = findings.filter(({ level }) => level === 'error' || level === 'warning');
  expect(open.map(({ level, code, path, message }) => `${level} ${code} ${path}: ${message}`)).toEqual([]);
});
