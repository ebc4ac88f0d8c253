import { z } from 'zod';

// Wire format, in the spelling of the original: snake case, `login` for account names, `+1` for thumbs up.

/** The original's names of the eight reactions, in the order of the application's. */
export const REACTION_CONTENTS = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'] as const;

const login = z.string().regex(/^[A-Za-z0-9._-]{1,100}$/);
const time = z.iso.datetime();
const count = z.int().min(0);
const actor = z.strictObject({ login });
const plan = z.strictObject({ name: z.enum(['Free', 'Pro', 'Team', 'Enterprise']), start_date: z.iso.date() });
const state = z.enum(['open', 'closed']);

const reactionTotals = z.strictObject({
  '+1': count,
  '-1': count,
  laugh: count,
  hooray: count,
  confused: count,
  heart: count,
  rocket: count,
  eyes: count,
  total_count: count,
});

const discussion = {
  number: z.int().min(1),
  title: z.string(),
  body: z.string().nullable(),
  user: actor,
  state,
  created_at: time,
  reactions: reactionTotals,
};

/** What the service sends. */
export const answers = {
  Account: z.strictObject({
    login,
    type: z.enum(['User', 'Organization']),
    created_at: time,
    plan: plan.nullable(),
  }),
  OrganizationOfUser: z.strictObject({ login, role: z.enum(['member', 'admin']) }),
  Member: z.strictObject({ login, role: z.enum(['member', 'admin']), since: time }),
  Repository: z.strictObject({
    full_name: z.string(),
    name: z.string(),
    owner: actor,
    description: z.string().nullable(),
    fork: z.boolean(),
    parent: z.string().nullable().describe('The full name of the repository that was forked.'),
    created_at: time,
    updated_at: time,
    stargazers_count: count,
    forks_count: count,
    open_issues_count: count,
    open_pulls_count: count,
  }),
  Stargazer: z.strictObject({ login, starred_at: time }),
  Issue: z.strictObject(discussion),
  PullRequest: z.strictObject(discussion),
  Comment: z.strictObject({
    id: z.string(),
    body: z.string(),
    user: actor,
    created_at: time,
    reactions: reactionTotals,
  }),
  Reaction: z.strictObject({ user: actor, content: z.enum(REACTION_CONTENTS) }),
  OpenCounts: z.strictObject({ issues: count, pulls: count }),
} as const;

export type AnswerName = keyof typeof answers;

/** What the service accepts. */
export const bodies = {
  NewAccount: z.strictObject({ login }),
  Plan: plan,
  Membership: z.strictObject({ role: z.enum(['member', 'admin']).default('member') }),
  NewRepository: z.strictObject({ name: login, description: z.string().max(350).optional() }),
  RepositoryUpdate: z.strictObject({ description: z.string().max(350) }),
  NewFork: z.strictObject({ organization: login.optional().describe('Who gets the fork, if not the user.') }),
  NewIssue: z.strictObject({ title: z.string().min(1).max(256), body: z.string().max(65_536).optional() }),
  StateChange: z.strictObject({ state }),
  NewComment: z.strictObject({ body: z.string().min(1).max(65_536) }),
  NewReaction: z.strictObject({ content: z.enum(REACTION_CONTENTS) }),
} as const;

export type BodyName = keyof typeof bodies;
export type Body<Name extends BodyName> = z.output<(typeof bodies)[Name]>;
export type AnswerOf<Name extends AnswerName> = z.output<(typeof answers)[Name]>;

/** Parameters of a path. */
export const parameters = {
  owner: login,
  repo: login,
  username: login,
  org: login,
  number: z.coerce.number().int().min(1).max(9_999_999),
  comment_id: z.string().regex(/^[0-9A-Za-z]{27}$/),
} as const;

export type ParameterName = keyof typeof parameters;

/** Parameters of lists. */
export const pageParameters = {
  per_page: z.coerce.number().int().min(1).max(100).optional(),
  cursor: z.string().max(4096).optional(),
} as const;

export const stateParameter = z.enum(['open', 'closed', 'all']).default('open');
