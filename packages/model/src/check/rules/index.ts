import type { Rule } from '../rule.ts';
import { keyRules } from './keys.ts';
import { nameRules } from './names.ts';
import { servingRules } from './serving.ts';
import { shapeRules } from './shape.ts';
import { sizeRules } from './sizes.ts';
import { valueRules } from './values.ts';
import { writeRules } from './writes.ts';

/** All rules, in the order of the documentation. */
export const rules: readonly Rule[] = [
  ...servingRules,
  ...nameRules,
  ...keyRules,
  ...valueRules,
  ...writeRules,
  ...sizeRules,
  ...shapeRules,
];
