/** How far a client has read the events: sent as `id:`, and returned as `Last-Event-ID`. */
export interface Cursor {
  /** The last request. */
  readonly requests?: number;
  /** The last sequence number by stream and shard. */
  readonly shards?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor), 'utf8').toString('base64url');
}

/** An unreadable cursor is treated as absent: the stream begins now. */
export function decodeCursor(text: string | undefined): Cursor {
  if (text === undefined || text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return {};
  }
  if (!isObject(value)) return {};
  const { requests, shards } = value;
  return {
    ...(typeof requests === 'number' && { requests }),
    ...(isObject(shards) &&
      Object.values(shards).every(isTexts) && { shards: shards as NonNullable<Cursor['shards']> }), // checked
  };
}

function isTexts(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
