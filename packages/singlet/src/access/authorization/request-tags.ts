import type { ActionName } from '../../engine/index.ts';

/** The tags in a request, for the permissions whose conditions can test them. */
export class RequestTags {
  readonly #tags: readonly { readonly key: string; readonly value?: string }[];

  constructor(tags: readonly { readonly key: string; readonly value?: string }[]) {
    this.#tags = tags;
  }

  /** The value of `aws:TagKeys`. */
  keysFor(permission: string): readonly string[] | undefined {
    return taggingPermissions.has(permission) ? this.#tags.map(({ key }) => key) : undefined;
  }

  /** The value of `aws:RequestTag/NAME`. @param name - in lower case. */
  valueFor(permission: string, name: string): string | undefined {
    if (!taggingPermissions.has(permission)) return undefined;
    return this.#tags.find(({ key }) => key.toLowerCase() === name)?.value;
  }
}

const taggingPermissions = new Set(['CreateTable', 'TagResource', 'UntagResource']);

interface TaggingRequest {
  readonly tags?: readonly { readonly key: string; readonly value: string }[];
  readonly tagKeys?: readonly string[];
}

/** @returns undefined for a request without tags. */
export function requestTags(action: ActionName, request: object): RequestTags | undefined {
  if (action !== 'CreateTable' && action !== 'TagResource' && action !== 'UntagResource') return undefined;
  const { tags, tagKeys } = request as TaggingRequest; // what the shapes of these actions have
  if (tags !== undefined) return new RequestTags(tags);
  return tagKeys && new RequestTags(tagKeys.map((key) => ({ key })));
}
