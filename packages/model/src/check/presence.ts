import type { EntityInfo } from '../resolve/resolved.ts';

/** Whether items may lack an attribute: it is optional, and no default takes its place. */
export function mayLack({ attributes }: EntityInfo, name: string): boolean {
  const info = attributes.get(name);
  return info !== undefined && info.optional && info.fallback === undefined;
}

/** Whether every new item has to be given a value. */
export function isRequired({ attributes }: EntityInfo, name: string): boolean {
  const info = attributes.get(name);
  return info !== undefined && !info.optional && info.fallback === undefined;
}
