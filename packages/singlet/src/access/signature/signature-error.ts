import { DynamoError } from '../../values/service-error.ts';

/** The service's answers to a request whose signature is missing, incomplete or wrong. Names and texts are the service's. */

/** The request is not signed. */
export function missingAuthenticationToken(): DynamoError {
  return new DynamoError('MissingAuthenticationTokenException', 'Request is missing Authentication Token');
}

/** A part of the signature is missing or malformed. */
export function incompleteSignature(message: string): DynamoError {
  return new DynamoError('IncompleteSignatureException', message);
}

/** The signature has all its parts, but does not match the request, the time or this service. */
export function invalidSignature(message: string): DynamoError {
  return new DynamoError('InvalidSignatureException', message);
}

/** The access key is unknown or inactive. */
export function unknownAccessKey(): DynamoError {
  return new DynamoError('UnrecognizedClientException', 'The security token included in the request is invalid.');
}

/** The session token is missing, or belongs to another access key. The service writes this message without the full stop. */
export function invalidSessionToken(): DynamoError {
  return new DynamoError('UnrecognizedClientException', 'The security token included in the request is invalid');
}

/** The session that the credentials belong to has expired. */
export function expiredSession(): DynamoError {
  return new DynamoError('ExpiredTokenException', 'The security token included in the request is expired');
}

/** The signature does not match the one made with this secret key. */
export function signatureMismatch(): DynamoError {
  return invalidSignature(
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
  );
}
