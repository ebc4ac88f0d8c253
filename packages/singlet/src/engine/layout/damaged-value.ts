import { StorageError } from '../../storage/storage-error.ts';

/** The error for a value that is not what was stored. Nothing is answered from it. */
export class DamagedValueError extends StorageError {
  /** Under which it is stored; undefined of a value whose checksum does not include its key. */
  readonly key: Uint8Array | undefined;
  /** What it is, as far as it is known: for the beginning of a sentence. */
  readonly subject: string;

  constructor(subject: string, key: Uint8Array | undefined, options: { cause?: unknown } = {}) {
    const name = key === undefined ? '' : ` (key ${Buffer.from(key).toString('hex')})`;
    super(
      'damaged',
      `${subject} is damaged${name}: it does not match its checksum, and nothing was answered from it. Stop the server and run \`singlet doctor\` on its directory.`,
      options,
    );
    this.name = 'DamagedValueError';
    this.key = key;
    this.subject = subject;
  }
}

/** @param key - of the value; copied, since it may be a view into the store. */
export function damagedValue(key: Uint8Array, options: { cause?: unknown } = {}): DamagedValueError {
  return new DamagedValueError('A stored value', Uint8Array.from(key), options);
}
