import { Command } from 'commander';
import { explainDecision } from '../../access/policy/explain-decision.ts';
import { errorOutput } from '../error-output.ts';
import { readPolicyFile } from './policy-file.ts';
import { printDecision } from './print-decision.ts';
import { simulatedRequest, type SimulatedRequestFlags } from './simulated-request.ts';

interface SimulateFlags extends SimulatedRequestFlags {
  readonly policy: readonly string[];
  readonly boundary?: string;
  readonly session: readonly string[];
  readonly resourcePolicy?: string;
  readonly json?: boolean;
}

/** The exit code if the request is denied; errors use 1. */
const deniedExitCode = 2;

const examples = `
Examples:
  $ singlet policy simulate --policy tenant.json --action dynamodb:GetItem \\
      --resource arn:aws:dynamodb:us-east-1:111122223333:table/Orders \\
      --context dynamodb:LeadingKeys=t1 --context aws:PrincipalTag/tenant=t1
  $ singlet policy simulate --policy role.json --boundary limit.json --resource-policy table.json --json \\
      --principal arn:aws:sts::444455556666:assumed-role/app/job \\
      --action dynamodb:Query --resource arn:aws:dynamodb:us-east-1:111122223333:table/Orders/index/byOwner

A key that is repeated has several values. Keys that follow from the principal, the resource and the time are set
automatically; --context overrides them. The exit code is 0 if the request is allowed, 2 if it is denied.`;

export function simulateCommand(): Command {
  return new Command('simulate')
    .summary('evaluate a request, and explain the decision statement by statement')
    .description(
      'Evaluates a request as a server would, and shows for every statement whether it applies, and if not, why.',
    )
    .helpOption('-h, --help', 'print this help')
    .configureOutput(errorOutput('singlet policy simulate --help'))
    .option('--policy <file>', 'an identity policy; may be repeated', collect, [])
    .option('--boundary <file>', 'the permissions boundary of the identity')
    .option('--session <file>', 'a session policy; may be repeated', collect, [])
    .option('--resource-policy <file>', 'the policy of the table or stream')
    .requiredOption('--action <name>', 'such as dynamodb:GetItem')
    .option('--resource <arn>', 'ARN of the resource', '*')
    .option('--principal <arn>', 'a user, role session or root user (default: a user of the account of the resource)')
    .option('--context <key=value>', 'the value of a condition key; may be repeated', collect, [])
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((flags: SimulateFlags) => {
      const { request, resourceAccountId } = simulatedRequest(flags, Date.now());
      const decision = explainDecision(
        request,
        {
          identity: flags.policy.map((file) => readPolicyFile(file, 'identity')),
          boundary: flags.boundary === undefined ? undefined : readPolicyFile(flags.boundary, 'identity'),
          session: flags.session.map((file) => readPolicyFile(file, 'identity')),
          resource: flags.resourcePolicy === undefined ? undefined : readPolicyFile(flags.resourcePolicy, 'resource'),
        },
        { resource: resourceAccountId },
      );
      process.stdout.write(printDecision(decision, request, flags));
      if (!decision.isAllowed) process.exitCode = deniedExitCode;
    });
}

function collect(value: string, collected: readonly string[]): readonly string[] {
  return [...collected, value];
}
