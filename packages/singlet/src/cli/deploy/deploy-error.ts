import { UsageError } from '../usage-error.ts';

/** A deployment that failed part-way. The changes already made are kept; another run continues from there. */
export class DeployError extends UsageError {}
