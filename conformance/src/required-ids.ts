/** Which requirements the rows must show to hold, and which cannot be seen through the API. */

const range = (first: number, last: number): readonly string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => `DB-${String(first + index).padStart(3, '0')}`);

/** Requirements within the ranges below that a request cannot show, with the reason. */
export const notObservable: Readonly<Record<string, string>> = {
  'DB-072': 'advice for modelling, not behaviour',
  'DB-079': 'needs an item collection of 10 GB; tested with a lowered limit beside the engine',
  'DB-080': 'partitions cannot be seen through the API',
  'DB-081': 'routing cannot be seen through the API',
  'DB-082': 'work inside the store is counted by unit tests, not answered',
  'DB-084': 'throttling is off by default and is tested beside the capacity code',
  'DB-085': 'adaptive capacity has no effect that a request could see without throttling',
  'DB-086': 'partitions cannot be seen through the API',
  'DB-105': 'throttling is off by default and is tested beside the capacity code',
  'DB-107': 'burst credit has no effect without throttling',
  'DB-108': 'throttling is off by default and is tested beside the capacity code',
  'DB-109': 'a statement about prices',
  'DB-111': 'a statement about prices',
  'DB-116': 'partitions cannot be seen through the API',
  'DB-117': 'needs an item collection of 10 GB; see DB-079',
  'DB-123': 'the quota of tables would need thousands of them',
  'DB-215': 'advice for modelling, not behaviour',
  'DB-276': 'throttling is off by default and is tested beside the capacity code',
  'DB-277': 'needs an item collection of 10 GB; see DB-079',
  'DB-279': 'authorisation has tests of its own',
  'DB-282': 'needs injected faults; tested beside the server',
};

/**
 * Backups (DB-016); data model and types, item size, keys, indexes, item collections (DB-021 to DB-087); capacity accounting (DB-095 to
 * DB-111); limits and names (DB-112 to DB-124); actions, options and expressions (DB-135 to DB-248); errors (DB-273 to
 * DB-282); streams but for what consumers build on them (DB-249, DB-250, DB-253 to DB-257).
 */
export const requiredIds: readonly string[] = [
  'DB-016',
  ...range(21, 87),
  ...range(95, 124),
  ...range(135, 248),
  'DB-249',
  'DB-250',
  ...range(253, 257),
  ...range(273, 282),
].filter((id) => !(id in notObservable));
