/** How much of an item a capacity unit reads, strongly consistent, or writes. */
export const readUnitBytes = 4096;
export const writeUnitBytes = 1024;
