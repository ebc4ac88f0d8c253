import type { Rule } from '../rule.ts';
import { invariantRules } from './invariants.ts';
import { keyRules } from './keys.ts';
import { nameRules } from './names.ts';
import { operandRules } from './operands.ts';
import { servingRules } from './serving.ts';
import { shapeRules } from './shape.ts';
import { sizeRules } from './sizes.ts';
import { storageRules } from './storage.ts';
import { tenantRules } from './tenants.ts';
import { valueRules } from './values.ts';
import { writeRules } from './writes.ts';

/** All rules, in the order of the documentation. */
export const rules: readonly Rule[] = [
  ...servingRules,
  ...nameRules,
  ...operandRules,
  ...keyRules,
  ...valueRules,
  ...storageRules,
  ...tenantRules,
  ...writeRules,
  ...invariantRules,
  ...sizeRules,
  ...shapeRules,
];
