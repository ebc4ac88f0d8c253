import type { TableAccessFacts } from '../../engine/index.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { PolicyDocument } from '../policy/policy-document.ts';
import { readPolicy } from '../policy/policy-reader.ts';

const ofTables = new WeakMap<TableAccessFacts, { readonly policy: PolicyDocument | undefined }>();

/** The resource policy of a table, parsed once until the table changes. */
export function policyOf(table: TableAccessFacts): PolicyDocument | undefined {
  let known = ofTables.get(table);
  if (known === undefined) {
    known = { policy: table.resourcePolicy === undefined ? undefined : readPolicy(table.resourcePolicy, 'resource') };
    ofTables.set(table, known);
  }
  return known.policy;
}

/** The number of parsed stream policies that are kept. */
const textsMax = 256;
const ofTexts = new BoundedMap<string, PolicyDocument>(textsMax);

export function policyOfText(text: string): PolicyDocument {
  let policy = ofTexts.get(text);
  if (policy === undefined) {
    policy = readPolicy(text, 'resource');
    ofTexts.set(text, policy);
  }
  return policy;
}
