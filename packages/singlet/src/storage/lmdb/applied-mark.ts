/**
 * Under this key LMDB holds the generation of the log up to which all has been applied. It is shorter than any key of the contract and sorts
 * before all of them.
 */
export const appliedKey: Buffer = Buffer.from([0]);

/** Sorts after the mark, and before every key of the contract. */
export const firstKeyBound: Buffer = Buffer.from([0, 0]);

export function encodeGeneration(generation: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(generation));
  return bytes;
}

export function decodeGeneration(bytes: Uint8Array | undefined): number {
  return bytes === undefined ? 0 : Number(Buffer.from(bytes).readBigUInt64LE(0));
}
