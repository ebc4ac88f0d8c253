export { model, type Model } from './model.ts';
export { entity } from './entities/entity.ts';
export type { Signature } from './patterns/signature.ts';
export { add, append, exclude, include, initial, ref, remove } from './patterns/value.ts';
