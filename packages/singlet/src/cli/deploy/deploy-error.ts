import { UsageError } from '../usage-error.ts';

/** A deployment that did not come to its end. What was done before stays; another run continues from there. */
export class DeployError extends UsageError {}
