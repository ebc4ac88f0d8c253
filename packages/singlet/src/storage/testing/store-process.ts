/**
 * A program that opens a store in its own process and follows the commands of the parent process. For tests that need a
 * second process: seeing each other's writes, and dying in the middle of them.
 */
import { writeSync } from 'node:fs';
import type { Store } from '../store.ts';
import { bytes, put, valueText, textsOf } from './store-probe.ts';
import { crashKeys } from './store-process-protocol.ts';
import type { ProcessCommand } from './store-process-protocol.ts';

/** @param open - the driver's function. Its options are the first argument of the program, as JSON. */
export async function serve(open: (options: never) => Promise<Store>): Promise<void> {
  // The parent process knows which driver it is, and what its options are.
  const store = await open(JSON.parse(process.argv[2] ?? '{}') as never);
  process.on('message', (message: { readonly id: number; readonly command: ProcessCommand }) => {
    if (message.command.do === 'close') {
      // Without the channel to its parent, nothing keeps the process alive, and it ends.
      void store.close().then(() => process.disconnect());
      return;
    }
    void perform(store, message.command).then(
      (result) => process.send?.({ id: message.id, result }),
      (error: unknown) => process.send?.({ id: message.id, error: String(error) }),
    );
  });
  process.send?.({ id: 0, result: 'ready' });
}

async function perform(store: Store, command: ProcessCommand): Promise<unknown> {
  switch (command.do) {
    case 'read': {
      const [text] = await textsOf(store, [Buffer.from(command.key, 'hex')]);
      return text ?? null;
    }
    case 'put':
      return put(store, { key: Buffer.from(command.key, 'hex'), value: bytes(command.value) });
    case 'remove':
      return put(store, { key: Buffer.from(command.key, 'hex'), value: undefined });
    case 'increment': {
      const key = Buffer.from(command.key, 'hex');
      return Promise.all(Array.from({ length: command.times }, async () => increment(store, key)));
    }
    case 'leave':
      for (const pair of command.pairs) await leave(store, pair);
      return undefined;
    case 'write-forever':
      return Promise.all(Array.from({ length: command.writers }, async (_, writer) => writeForever(store, writer)));
    case 'exit':
      setTimeout(() => process.exit(0), command.afterMs);
      return undefined;
    case 'close':
      return store.close();
  }
}

async function increment(store: Store, key: Uint8Array): Promise<number> {
  return store.write([key], ([value]) => {
    const next = Number(valueText(value ?? bytes('0'))) + 1;
    return { answer: next, writes: [{ key, value: bytes(`${next}`) }] };
  });
}

async function leave(store: Store, pair: readonly string[]): Promise<void> {
  const keys = pair.map((key) => Buffer.from(key, 'hex'));
  await store.write(keys, ([, other]) => ({
    answer: undefined,
    writes: other === undefined ? [] : keys.slice(0, 1).map((key) => ({ key, value: undefined })),
  }));
}

/** One of the writers of `write-forever`. */
async function writeForever(store: Store, writer: number): Promise<never> {
  const keys = [crashKeys.count(writer), crashKeys.total];
  for (;;) {
    const count = await store.write(keys, ([own, all]) => {
      const next = Number(valueText(own ?? bytes('0'))) + 1;
      const value = bytes(`${writer}:${next}`.padEnd(20 + (next % 7) * 300, '.'));
      const total = Number(valueText(all ?? bytes('0'))) + 1;
      return {
        answer: next,
        writes: [
          { key: crashKeys.entry('left', writer, next), value },
          { key: crashKeys.count(writer), value: bytes(`${next}`) },
          { key: crashKeys.total, value: bytes(`${total}`) },
          { key: crashKeys.entry('right', writer, next), value },
        ],
      };
    });
    writeSync(1, `${writer} ${count}\n`);
  }
}
