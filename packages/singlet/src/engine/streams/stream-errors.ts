import { DynamoError, ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';

/** What the stream actions refuse with. Texts that are not known from the service are marked. */

export function streamNotFound(streamArn: string): ResourceNotFoundException {
  return new ResourceNotFoundException(`Requested resource not found: Stream: ${streamArn} not found`);
}

export function shardNotFound(): ResourceNotFoundException {
  return new ResourceNotFoundException('Requested resource not found: Shard does not exist');
}

/** Assumed: the model's description of the message, as it is with {@link dataTrimmed}. */
export function iteratorExpired(): DynamoError {
  return new DynamoError('ExpiredIteratorException', 'The provided iterator exceeds the maximum age allowed');
}

export function dataTrimmed(): DynamoError {
  return new DynamoError('TrimmedDataAccessException', 'The data you are trying to access has been trimmed');
}

/** Assumed text; the kind of error is known. */
export function invalidShardIterator(): ValidationException {
  return new ValidationException('Invalid ShardIterator');
}

/** Assumed: neither text nor kind of error is known for a number that is none of the shard's. */
export function invalidSequenceNumber(): ValidationException {
  return new ValidationException('Invalid SequenceNumber');
}
