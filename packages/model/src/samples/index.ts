export { load, type LoadedItemOf, type LoadOptions } from './load.ts';
export { type SampleItem, sampleItems, type SampleOptions } from './sample-items.ts';
export { sampleValue, type SampleSource } from './sample-value.ts';
export { seed, type SeedOptions } from './seed.ts';
