/** Whether a text can be the name of a region: letters, digits and hyphens, as in `eu-west-1`. New regions appear, and tests invent their own. */
export function isRegionName(text: string): boolean {
  return /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(text);
}
