/**
 * The service checks attribute values in one of two layers. The layer of an operation decides a few texts and two
 * corner cases of numbers. Recorded from the service in four regions, October 2026:
 *
 * - `'current'`: PutItem, UpdateItem and DeleteItem (inside the envelope `1 validation error detected: `), GetItem,
 *   BatchGetItem and Query (bare).
 * - `'older'`: BatchWriteItem, TransactWriteItems, TransactGetItems and Scan, bare; a bad expression value is wrapped
 *   as `ExpressionAttributeValues contains invalid value: ... for key :name`. PartiQL parameters read numbers this way.
 *
 * | Input                    | `'current'`                                     | `'older'`                         |
 * |--------------------------|-------------------------------------------------|-----------------------------------|
 * | `N` is the empty string  | `... to a numeric value: `                      | `... to a numeric value`          |
 * | `1e2147483647`           | overflow                                        | underflow (32-bit wrap)           |
 * | `1e2147483648`           | overflow                                        | cannot be converted               |
 * | `0e126`                  | overflow                                        | stored as 0                       |
 * | `SS` b, a, b             | `Input collection ["a", "b", "b"] contains ...` | `Input collection [b, a, b] ...`  |
 * | expression value         | 32 levels                                       | 33 levels                         |
 *
 * Envelopes and wrappers belong to the operation; the checks throw the bare text.
 */
export type ValueCheckLayer = 'current' | 'older';
