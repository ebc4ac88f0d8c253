/** Keeps duplicated attributes equal to their sources, with the change or by the stream. */
export type { Copies } from './copies.ts';
export { type CopiesPage, type Propagation, propagation, type PropagationOptions } from './propagation.ts';
export { changeOf, type ImageRecord, type ItemChange, streamFilter } from './stream.ts';
