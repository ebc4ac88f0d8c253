import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { rotateKeys } from '../storage/encryption/with-encryption.ts';
import { parseWrappingKeys } from '../storage/encryption/wrapping-keys.ts';
import { isDirectoryInUse } from '../storage/lmdb/directory-users.ts';
import { openLmdbStore } from '../storage/lmdb/lmdb-store.ts';
import { dataFileExists } from './backup/data-file-exists.ts';
import { encryptionKeysOf } from './encryption-key-file.ts';
import { errorOutput } from './error-output.ts';
import { UsageError } from './usage-error.ts';

const explanation = `
The first line of the file is the new key; a later line must hold the previous first key. Add the new key at the top, run this
command, and remove the old lines:

  $ (openssl rand -base64 32; cat singlet.key) > new.key && mv new.key singlet.key
  $ singlet rotate-keys ./singlet-data --encryption-key singlet.key

The time does not depend on the amount of data: the data keys are encrypted again, and a new data key is added for later writes.
Existing data stays under its data key. The server must not be running.`;

export function rotateKeysCommand(): Command {
  return new Command('rotate-keys')
    .summary('switch to a new encryption key')
    .description('Encrypts the data keys of a directory with the first key of a file, and adds a new data key.')
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet rotate-keys --help'))
    .argument('<directory>', 'directory of the data')
    .addOption(new Option('--encryption-key <file>', 'file of keys, the new one first').makeOptionMandatory())
    .addHelpText('after', explanation)
    .action(async (directory: string, { encryptionKey }: { readonly encryptionKey: string }) => {
      await rotate(resolve(directory), (await encryptionKeysOf(encryptionKey)) ?? '');
    });
}

async function rotate(directory: string, text: string): Promise<void> {
  if (!dataFileExists(directory)) throw new UsageError(`The directory ${directory} has no data file.`);
  if (await isDirectoryInUse(directory)) throw new UsageError(`A server uses ${directory}: stop it first.`);
  const keys = parseWrappingKeys(text);
  const store = await openLmdbStore({ directory });
  try {
    const { wrappedBy, dataKeyCount } = await rotateKeys(store, keys);
    process.stdout.write(`The key ${wrappedBy} encrypts from now on. There are ${dataKeyCount} data keys.\n`);
  } finally {
    await store.close();
  }
}
