/** How an earlier attempt is looked for: a read that may be a moment old might miss what has just been refused because it is there. */
export const CONSISTENTLY = { consistent: true } as const;

/**
 * Does work that an earlier attempt of the same request may have done, whose answer was lost: what that has done is the result of both.
 *
 * @param isRefusal - whether an error says that the work is done already.
 * @param earlier - what is there, if it is what the request asks for. Undefined if it is of another request: then the refusal is thrown.
 */
export async function orAlready<Result>(
  work: Promise<Result>,
  isRefusal: (error: unknown) => boolean,
  earlier: () => Promise<Result | undefined>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const found = await earlier();
    if (found === undefined) throw error;
    return found;
  }
}

/**
 * The same for work without a result.
 *
 * @param isDone - whether an error says that the work is done already, and what is there is what the request asks for.
 */
export async function orDone(
  work: Promise<unknown>,
  isDone: (error: unknown) => boolean | Promise<boolean>,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(await isDone(error))) throw error;
  }
}
