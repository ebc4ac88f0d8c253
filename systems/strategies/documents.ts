import { entity, include, model, ref } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9]+$/);

/** S-83 A set stores distinct members, a map stores values by name. Both are changed without reading the item. */
export const contacts = model('contacts')
  .entities({
    Contact: entity({
      contact: id,
      admins: z.set(z.string()).optional(),
      phoneNumbers: z.record(z.string(), z.string()).default({}), // a path into it requires the map to exist
    }),
  })
  .relationships([])
  .patterns({
    create: { creates: 'Contact' },
    addAdmin: {
      updates: 'Contact',
      by: ['contact'],
      takes: { admin: z.string() },
      changes: { admins: include(ref('admin')) },
      given: { any: [{ admins: { exists: false } }, { admins: { size: { below: 50 } } }] },
      strategy: 'S-83',
    },
    setPhone: {
      updates: 'Contact',
      by: ['contact'],
      takes: { kind: z.string(), phone: z.string() },
      changes: { 'phoneNumbers.{kind}': ref('phone') },
      given: { phoneNumbers: { size: { below: 20 } } },
      strategy: 'S-83',
    },
    contact: { reads: 'Contact', by: ['contact'] },
  })
  .tables({ Contacts: { key: ['PK', 'SK'] } })
  .keys({ Contact: { Contacts: ['CONTACT#{contact}', 'CONTACT#{contact}'] } })
  .served({ create: 'PutItem', addAdmin: 'UpdateItem', setPhone: 'UpdateItem', contact: 'GetItem' });

/** S-84 A document too large for one item becomes several in one collection. */
export const largeDocuments = model('largeDocuments')
  .entities({ Part: entity({ document: id, number: z.number().int(), text: z.string() }) })
  .relationships([])
  .patterns({
    save: { puts: ['Part'], accepts: { 'put-replaces': 'a document is saved as a whole' } },
    parts: {
      reads: ['Part'],
      by: ['document'],
      order: 'number asc',
      volume: { typical: 3, most: 100 },
      strategy: 'S-84',
    },
  })
  .tables({ Documents: { key: ['PK', 'SK'] } })
  .keys({ Part: { Documents: ['DOCUMENT#{document}', 'PART#{number:03}'] } })
  .served({ save: 'BatchWriteItem', parts: { query: 'Documents' } });

/** S-84 Splits a text into parts of at most `bytesMax` bytes of UTF-8, never inside a character. */
export function partsOf(text: string, bytesMax: number = 350_000): readonly string[] {
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const character of text) {
    const size = Buffer.byteLength(character);
    if (bytes + size > bytesMax) {
      parts.push(part);
      part = '';
      bytes = 0;
    }
    part += character;
    bytes += size;
  }
  return part === '' ? parts : [...parts, part];
}
