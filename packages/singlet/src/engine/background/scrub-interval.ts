/** How often all stored data is checked by default. Milliseconds. */
export const scrubIntervalMs: number = 7 * 24 * 60 * 60 * 1000;
