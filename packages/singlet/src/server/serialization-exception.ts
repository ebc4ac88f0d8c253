import { DynamoError } from '../values/service-error.ts';

/** The body is not the JSON that the action expects. Without a message the answer has none, as in the service. */
export class SerializationException extends DynamoError {
  constructor(message = '') {
    super('SerializationException', message);
  }
}
