import { entity, model, ref, remove } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[a-z0-9]+$/);
const time = z.iso.datetime();

/**
 * P-27 All versions of a document. V0 points to the current one; a draft is written first and committed by moving the pointer, after any
 * other work. A draft has a term, after which another writer may replace it.
 */
export const history = model('history')
  .entities({
    Pointer: entity({ document: id, current: z.number().int().default(0) }),
    Version: entity({
      document: id,
      number: z.number().int().positive(),
      author: z.string(),
      at: time,
      draftOwner: z.string().optional(),
      draftUntil: time.optional(),
    }),
  })
  .relationships([['Pointer', '1:N', 'Version']])
  .patterns({
    create: { creates: 'Pointer' },
    pointer: { reads: 'Pointer', by: ['document'], consistent: true },
    // If nothing exists, or a draft whose term is over.
    draft: {
      updates: 'Version',
      by: ['document', 'number'],
      orCreates: true,
      sets: ['author', 'at', 'draftOwner', 'draftUntil'],
      takes: { now: time },
      given: { any: [{ number: { exists: false } }, { draftUntil: { below: ref('now') } }] },
      strategy: 'P-27',
    },
    commit: {
      transacts: {
        pointer: {
          updates: 'Pointer',
          by: ['document'],
          sets: ['current'],
          takes: { expected: z.number() },
          given: { current: ref('expected') },
        },
        version: {
          updates: 'Version',
          by: ['document', 'number'],
          takes: { me: z.string() },
          changes: { draftOwner: remove(), draftUntil: remove() },
          given: { draftOwner: ref('me') },
        },
      },
      strategy: 'P-27',
    },
    version: { reads: 'Version', by: ['document', 'number'] },
    versions: { reads: ['Version'], by: ['document'], order: 'number desc', limit: 50, strategy: 'P-27' },
  })
  .tables({ History: { key: ['PK', 'SK'] } })
  .keys({
    Pointer: { History: ['DOCUMENT#{document}', 'V0'] },
    Version: { History: ['DOCUMENT#{document}', 'VERSION#{number:06}'] },
  })
  .served({
    create: 'PutItem',
    pointer: 'GetItem',
    draft: 'UpdateItem',
    commit: 'TransactWriteItems',
    version: 'GetItem',
    versions: { query: 'History' },
  });

/** P-28 Only the changed part of a document gets a new version: writes are small, and reads assemble the whole. */
export const parts = model('parts')
  .entities({
    Part: entity({
      document: id,
      part: z.enum(['INTRO', 'MAIN_CONTENT', 'SUMMARY']),
      version: z.number().int(),
      author: z.string(),
      at: time,
      text: z.string(),
    }),
  })
  .relationships([])
  .patterns({
    write: { creates: 'Part', strategy: 'P-28' },
    latest: { reads: ['Part'], by: ['document', 'part'], order: 'version desc', limit: 1, strategy: 'P-28' },
    all: { reads: ['Part'], by: ['document'], volume: { typical: 10, most: 200 }, strategy: 'P-28' },
  })
  .tables({ Parts: { key: ['PK', 'SK'] } })
  .keys({ Part: { Parts: ['DOCUMENT#{document}', '{part}#{version:05}'] } })
  .served({ write: 'PutItem', latest: { query: 'Parts' }, all: { query: 'Parts' } });

interface VersionedPart {
  readonly part: string;
  readonly version: number;
  readonly at: string;
}

/** P-28 The newest version of each part, as of a time if one is given. */
export function assembled<Part extends VersionedPart>(all: readonly Part[], asOf?: string): readonly Part[] {
  const newest = new Map<string, Part>();
  for (const each of all) {
    if (asOf !== undefined && each.at > asOf) continue;
    if (each.version > (newest.get(each.part)?.version ?? 0)) newest.set(each.part, each);
  }
  return [...newest.values()];
}
