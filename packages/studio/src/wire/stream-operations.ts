/** Whether an operation is one of the API of streams, which has a target, a client and a command line of its own. */
export function isOfStreams(operation: string): boolean {
  return /^(ListStreams|DescribeStream|GetShardIterator|GetRecords)$/.test(operation);
}
