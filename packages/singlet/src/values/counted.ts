/** A number with its noun: `1 item`, `2 items`, `0.5 read units`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
