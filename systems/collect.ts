/** All elements, in an array. */
export async function collect<Each>(each: AsyncIterable<Each>): Promise<readonly Each[]> {
  const collected: Each[] = [];
  for await (const one of each) {
    collected.push(one);
  }
  return collected;
}
