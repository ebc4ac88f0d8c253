import type { DynamoError } from '../../values/service-error.ts';
import type { BatchStatementRequest } from './batch-execute-statement.ts';

/** A statement of a batch that may not run: it is answered with an error at its position, and the others run. */
export class RefusedStatement implements BatchStatementRequest {
  readonly statement: string;
  readonly refusal: DynamoError;

  constructor({ statement }: BatchStatementRequest, refusal: DynamoError) {
    this.statement = statement;
    this.refusal = refusal;
  }
}
