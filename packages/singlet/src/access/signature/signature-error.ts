import { DynamoError } from '../../values/service-error.ts';

/** What the service answers to a request whose signature is missing, incomplete or wrong. Names and texts are the service's. */

/** The request is not signed at all. */
export function missingAuthenticationToken(): DynamoError {
  return new DynamoError('MissingAuthenticationTokenException', 'Request is missing Authentication Token');
}

/** A part of the signature is missing or is not in the form it should have. */
export function incompleteSignature(message: string): DynamoError {
  return new DynamoError('IncompleteSignatureException', message);
}

/** The signature has all its parts, and it does not fit the request, the time or this service. */
export function invalidSignature(message: string): DynamoError {
  return new DynamoError('InvalidSignatureException', message);
}

/** The access key is unknown, or is not in force. */
export function unknownAccessKey(): DynamoError {
  return new DynamoError('UnrecognizedClientException', 'The security token included in the request is invalid.');
}

/** The session token is missing, or is not that of the access key. The service writes this one without the full stop. */
export function invalidSessionToken(): DynamoError {
  return new DynamoError('UnrecognizedClientException', 'The security token included in the request is invalid');
}

/** The session that the credentials belong to is over. */
export function expiredSession(): DynamoError {
  return new DynamoError('ExpiredTokenException', 'The security token included in the request is expired');
}

/** The signature is not the one that this secret key makes. */
export function signatureMismatch(): DynamoError {
  return invalidSignature(
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
  );
}
