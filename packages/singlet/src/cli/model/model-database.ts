import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** The database in which the patterns and migrations of served models run: that of this process, or an endpoint. */
export interface ModelDatabase {
  /** Configuration for a client of the AWS SDK. */
  clientConfig(): DynamoDBClientConfig;
  /**
   * Calls an action with its input in wire form, and returns the answer in wire form.
   *
   * @throws {DynamoError} the error that the service returned.
   */
  request(action: string, input: object): Promise<unknown>;
}
