import { StorageError } from '../../storage/storage-error.ts';

/** The error for a stored value that is damaged. No answer is made from such a value. */
export class DamagedValueError extends StorageError {
  /** The key of the value; undefined for a value whose checksum does not include its key. */
  readonly key: Uint8Array | undefined;
  /** What the value is, as far as it is known; it begins a sentence. */
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
