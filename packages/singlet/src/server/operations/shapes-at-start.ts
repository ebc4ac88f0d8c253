/** The shapes of the actions that are loaded with the program (engine/actions/loaded-at-start.ts). */
export { batchGetItem } from './batch-get-item.ts';
export { batchWriteItem } from './batch-write-item.ts';
export { deleteItem } from './delete-item.ts';
export { getItem } from './get-item.ts';
export { listTables } from './list-tables.ts';
export { putItem } from './put-item.ts';
export { query } from './query.ts';
export { scan } from './scan.ts';
export { transactGetItems } from './transact-get-items.ts';
export { transactWriteItems } from './transact-write-items.ts';
export { updateItem } from './update-item.ts';
