import type { UncheckedAttributeValue } from '../../values/attribute-value.ts';
import { lengthAtLeast, lengthAtMost } from '../shapes/constraint.ts';
import { attributeValue, list, required, type RequiredMember, type Shape, string } from '../shapes/shape.ts';

/** Parameters that the three actions of PartiQL share. */

/** A statement, in UTF-16 units. */
export const statementParameter: RequiredMember<string> = required(string(lengthAtLeast(1), lengthAtMost(8192)));

export const parametersParameter: Shape<readonly UncheckedAttributeValue[]> = list(attributeValue, lengthAtLeast(1));
