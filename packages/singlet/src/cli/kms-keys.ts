import { loadPackage } from '../values/missing-package.ts';

const prefix = 'kms:';

/**
 * The lines of a key file. A line `kms:` with the CiphertextBlob of a GenerateDataKey as base64 is decrypted. Region, credentials and endpoint
 * (`AWS_ENDPOINT_URL_KMS`) are the SDK's. The encryption context is authenticated, so a key for another purpose is refused.
 *
 * @throws {MissingPackageError} | any error of the SDK.
 * @see AWS Key Management Service API Reference, Decrypt
 */
export async function decryptKeys(text: string): Promise<string> {
  const { KMSClient, DecryptCommand } = await loadPackage(
    'A key file with keys of KMS',
    () => import('@aws-sdk/client-kms'),
  );
  const client = new KMSClient({});
  try {
    const lines: string[] = [];
    for (const line of text.split('\n').map((each) => each.trim())) {
      if (!line.startsWith(prefix)) {
        lines.push(line);
        continue;
      }
      const CiphertextBlob = Buffer.from(line.slice(prefix.length), 'base64');
      const { Plaintext } = await client.send(
        new DecryptCommand({ CiphertextBlob, EncryptionContext: { singlet: 'wrapping-key' } }),
      );
      lines.push(Buffer.from(Plaintext ?? []).toString('base64'));
    }
    return lines.join('\n');
  } finally {
    client.destroy();
  }
}
