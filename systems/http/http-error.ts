/** A field of a request that was refused, and why, in words for people. */
export interface FieldFault {
  /** `quantity`, `lines.0.quantity`. */
  readonly field: string;
  readonly detail: string;
}

/** An unsuccessful answer: a status, a stable code for programs and a sentence for people. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What is wrong with which field, if known. */
  readonly fields: readonly FieldFault[];

  constructor(
    status: number,
    code: string,
    detail: string,
    headers: Readonly<Record<string, string>> = {},
    fields: readonly FieldFault[] = [],
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.fields = fields;
  }
}
