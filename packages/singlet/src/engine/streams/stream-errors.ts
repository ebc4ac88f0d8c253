import { DynamoError, ResourceNotFoundException, ValidationException } from '../../values/service-error.ts';

/** The errors of the stream actions. Texts that are not known from the service are marked. */

export function streamNotFound(streamArn: string): ResourceNotFoundException {
  return new ResourceNotFoundException(`Requested resource not found: Stream: ${streamArn} not found`);
}

export function shardNotFound(): ResourceNotFoundException {
  return new ResourceNotFoundException('Requested resource not found: Shard does not exist');
}

/** Assumed: the text is the model's description of the message, as for {@link dataTrimmed}. */
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

/** Assumed: neither text nor kind of error is known for a number that is not in the shard. */
export function invalidSequenceNumber(): ValidationException {
  return new ValidationException('Invalid SequenceNumber');
}
