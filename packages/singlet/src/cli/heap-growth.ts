import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * How much memory may be taken before V8 looks through all of it for what is no longer used, beside what is in use. By itself V8 takes about
 * half as much as that again: where little is in use, and every answer takes some KB for a moment, that is several times a second. Bytes, of objects
 * and of Buffers.
 */
const unusedBytesMax = 128 * 1024 * 1024;

/** In percent of what is in use. Of less than the least, V8 decides. */
const growingPercentMax = 300;
const growingPercentMin = 50;

const lookMs = 1_000;

/** Has V8 collect memory less often than by itself, while little is in use. */
export function collectSeldom(): void {
  let present = 0;
  const look = (): void => {
    const { used_heap_size: objectBytes, external_memory: bufferBytes } = getHeapStatistics();
    const percent = growingPercent(objectBytes + bufferBytes);
    if (percent === present) return;
    // Read by V8 at the end of each collection.
    setFlagsFromString(`--heap-growing-percent=${percent}`);
    present = percent;
  };
  look();
  setInterval(look, lookMs).unref();
}

/** @returns 0 where V8 decides. */
function growingPercent(usedBytes: number): number {
  const percent = Math.min(growingPercentMax, Math.floor((unusedBytesMax / usedBytes) * 10) * 10);
  return percent < growingPercentMin ? 0 : percent;
}
