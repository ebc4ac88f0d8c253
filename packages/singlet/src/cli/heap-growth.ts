import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * By how much memory may grow before V8 looks through all of it for what is no longer used, in percent of what it found in use the last
 * time. By itself V8 takes about half as much again: where little is in use, and every answer takes some KB for a moment, that is several times a second.
 */
const growingPercent = 300;

/** Where more is in use, V8 decides. Bytes, of objects and of Buffers. */
const smallBytesMax = 256 * 1024 * 1024;

const lookMs = 1_000;

/** Has V8 collect memory less often than by itself, while little is in use. */
export function collectSeldom(): void {
  let present = 0;
  const look = (): void => {
    const { used_heap_size: objectBytes, external_memory: bufferBytes } = getHeapStatistics();
    const percent = objectBytes + bufferBytes <= smallBytesMax ? growingPercent : 0;
    if (percent === present) return;
    // Read by V8 at the end of each collection.
    setFlagsFromString(`--heap-growing-percent=${percent}`);
    present = percent;
  };
  look();
  setInterval(look, lookMs).unref();
}
