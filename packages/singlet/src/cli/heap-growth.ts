import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * How much memory may be allocated beyond the memory in use before V8 runs a full garbage collection. By default V8 runs one after about half
 * as much as is in use. If little is in use, and every answer allocates some KB briefly, that is several times a second. Bytes, of objects and
 * of Buffers.
 */
const unusedBytesMax = 128 * 1024 * 1024;

/** In percent of the memory in use. Below the minimum, V8 decides. */
const growingPercentMax = 300;
const growingPercentMin = 50;

const lookMs = 1_000;

/** Makes V8 run full garbage collections less often than by default while little memory is in use. */
export function collectSeldom(): void {
  let present = 0;
  const look = (): void => {
    const { used_heap_size: objectBytes, external_memory: bufferBytes } = getHeapStatistics();
    const percent = growingPercent(objectBytes + bufferBytes);
    if (percent === present) return;
    // V8 reads it at the end of each collection.
    setFlagsFromString(`--heap-growing-percent=${percent}`);
    present = percent;
  };
  look();
  setInterval(look, lookMs).unref();
}

/** @returns 0 if V8 decides. */
function growingPercent(usedBytes: number): number {
  const percent = Math.min(growingPercentMax, Math.floor((unusedBytesMax / usedBytes) * 10) * 10);
  return percent < growingPercentMin ? 0 : percent;
}
