import type { InputError } from '@singlet/model';
import type { z } from 'zod';
import { type FieldFault, HttpError } from './http-error.ts';

// Errors of input, in our own words by kind of rule: callers never read a validator's text.

type Issue = z.core.$ZodIssue;

/** The maximum number of faults reported for a body. */
const FAULTS_MAX = 10;

/** The faults of a value, field by field. @param where - the name of a value without a path: `body`. */
export function faultsOf(where: string, { issues }: z.ZodError): readonly FieldFault[] {
  return issues.slice(0, FAULTS_MAX).map((issue) => ({
    field: issue.path.length === 0 ? where : issue.path.join('.'),
    detail: wordsFor(issue),
  }));
}

/** All faults as one sentence each. */
export function sentenceOf(faults: readonly FieldFault[]): string {
  return faults.map(({ field, detail }) => `${field} ${detail}.`).join(' ');
}

/** The answer to input that a model refuses before anything is sent. */
export function inputRefusal({ code, path }: InputError): HttpError {
  if (code === 'bad-cursor') return new HttpError(400, 'invalid', 'The cursor does not belong to this list.');
  const field = path.split(/[ .]/).at(-1) ?? '';
  if (field === '') return new HttpError(400, 'invalid', 'The request has a value that cannot be used here.');
  const faults = [{ field, detail: 'cannot have this value' }];
  return new HttpError(400, 'invalid', sentenceOf(faults), {}, faults);
}

function wordsFor(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `has to be ${NOUNS[issue.expected] ?? 'of another type'}`;
    case 'too_small':
      return sized(issue.origin, Number(issue.minimum), 'at least');
    case 'too_big':
      return sized(issue.origin, Number(issue.maximum), 'at most');
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'does not have the right form';
    case 'invalid_value':
      return `has to be one of ${issue.values.map(String).join(', ')}`;
    case 'not_multiple_of':
      return `has to be a multiple of ${String(issue.divisor)}`;
    case 'unrecognized_keys':
      return `has fields that are not known: ${issue.keys.slice(0, FAULTS_MAX).join(', ')}`;
    default:
      return 'is not valid';
  }
}

function sized(origin: string, bound: number, least: 'at least' | 'at most'): string {
  if (origin === 'string')
    return bound === 1 && least === 'at least' ? 'must not be empty' : `has to have ${least} ${bound} characters`;
  if (origin === 'array' || origin === 'set')
    return `has to have ${least} ${bound} ${bound === 1 ? 'entry' : 'entries'}`;
  return `has to be ${least} ${bound}`;
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  nan: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  record: 'an object',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'has to be an e-mail address',
  datetime: 'has to be a time such as 2026-01-31T08:00:00Z',
  date: 'has to be a date such as 2026-01-31',
  uuid: 'has to be a UUID',
  url: 'has to be an address that begins with https://',
};
