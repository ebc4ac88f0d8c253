/** The longest head that {@link copyBehindHead} leaves out, bytes. */
export const headBytesMax = 16;

const overwritten = new Uint8Array(headBytesMax);

/**
 * Copies what is behind a short head. The bytes are copied whole, because a view of a part costs as much as the copy: the head overwrites what
 * the target has before `offset`, which is then restored.
 *
 * @param headBytes - at most {@link headBytesMax}, and at most `offset`.
 */
export function copyBehindHead(bytes: Uint8Array, headBytes: number, target: Uint8Array, offset: number): void {
  const before = offset - headBytes;
  for (let at = 0; at < headBytes; at += 1) overwritten[at] = target[before + at] as number;
  target.set(bytes, before);
  for (let at = 0; at < headBytes; at += 1) target[before + at] = overwritten[at] as number;
}
