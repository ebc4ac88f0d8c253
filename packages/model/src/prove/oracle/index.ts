export { type Difference, differenceKinds, differenceOf, type GivenPage } from './difference.ts';
export { expectedWrite, type ExpectedWrite, type Returned, type WriteWorld } from './write.ts';
export type { Unit } from './instants.ts';
export { expectedRead, type ExpectedRead, targetsOf, type World } from './read.ts';
export { comparedValue } from './sameness.ts';
export { compareValues, equalValues, itemText, type Values, valueText, withComputed } from './values.ts';
