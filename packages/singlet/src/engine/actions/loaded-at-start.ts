/** The actions that are available when an engine opens, which most requests use. One line each: name and implementation. */
export { batchGetItem } from '../operations/batch-get-item.ts';
export { batchWriteItem } from '../operations/batch-write-item.ts';
export { deleteItem } from '../operations/delete-item.ts';
export { getItem } from '../operations/get-item.ts';
export { listTables } from '../operations/list-tables.ts';
export { putItem } from '../operations/put-item.ts';
export { query } from '../operations/query.ts';
export { scan } from '../operations/scan.ts';
export { transactGetItems } from '../operations/transact-get-items.ts';
export { transactWriteItems } from '../operations/transact-write-items.ts';
export { updateItem } from '../operations/update-item.ts';
