/** LMDB takes 4,026 bytes in pages of 8 KB. The difference lets a range bound be longer than any key. */
export const keyBytesMax = 4_000;
