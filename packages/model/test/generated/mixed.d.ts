// Generated from ../patterns.model.ts by singlet generate. Changes belong there.
import type {
  ConnectOptions,
  Cursor,
  Interval,
  ReadCollection,
  ReadEach,
  ReadMany,
  ReadOne,
  Write,
} from '@singlet/model';

export interface Deal {
  dealId: string;
  title: string;
  brand: string;
  price: number;
}

export interface NewDeal {
  dealId: string;
  title: string;
  brand: string;
  price: number;
}

export interface Brand {
  brand: string;
  likes: number;
}

export interface NewBrand {
  brand: string;
  likes?: number | undefined;
}

export interface Brands {
  names?: Set<string> | undefined;
}

export interface NewBrands {
  names?: Set<string> | undefined;
}

export interface BrandLike {
  brand: string;
  username: string;
}

export interface NewBrandLike {
  brand: string;
  username: string;
}

export interface FrontPage {
  featured: { id: string; name: string }[];
}

export interface NewFrontPage {
  featured?: { id: string; name: string }[] | undefined;
}

export interface DealsCache {
  deals: string[];
}

export interface NewDealsCache {
  deals: string[];
}

export interface Message {
  username: string;
  messageId: string;
  subject: string;
  unread: boolean;
}

export interface NewMessage {
  username: string;
  messageId: string;
  subject: string;
  unread?: boolean | undefined;
}

export interface Repo {
  owner: string;
  repo: string;
  originalOwner?: string | undefined;
  issueCount: number;
  forks: number;
  updatedAt: string;
}

export interface NewRepo {
  owner: string;
  repo: string;
  originalOwner?: string | undefined;
  issueCount?: number | undefined;
  forks?: number | undefined;
  updatedAt: string;
}

export interface Issue {
  owner: string;
  repo: string;
  number: number;
  title: string;
  status: 'Open' | 'Closed';
  reactions: Record<string, number>;
}

export interface NewIssue {
  owner: string;
  repo: string;
  title: string;
  status?: 'Open' | 'Closed' | undefined;
  reactions?: Record<string, number> | undefined;
}

export interface Star {
  owner: string;
  repo: string;
  username: string;
}

export interface NewStar {
  owner: string;
  repo: string;
  username: string;
}

export interface Match {
  matchId: string;
  user1: string;
  user2: string;
  matchedAt: string;
  lastSeenAt: string;
}

export interface NewMatch {
  matchId: string;
  user1: string;
  user2: string;
  matchedAt: string;
  lastSeenAt: string;
}

export interface Session {
  token: string;
  username: string;
  expiresAt: number;
}

export interface NewSession {
  token: string;
  username: string;
  expiresAt: number;
}

export interface Document {
  documentId: string;
  body: string;
  version: number;
}

export interface NewDocument {
  documentId: string;
  body: string;
}

export interface Reading {
  device: string;
  at: number;
  celsius: number;
}

export interface NewReading {
  device: string;
  at: number;
  celsius: number;
}

export interface Ticket {
  org: string;
  ticketId: string;
  region: string;
  state: string;
  updatedAt: string;
}

export interface NewTicket {
  org: string;
  ticketId: string;
  region: string;
  state: string;
  updatedAt: string;
}

export interface EditDealInput {
  dealId: string;
  price?: number;
}

export interface LatestDealsInput {}

export interface DealsBetweenInput {
  dealId?: Interval<string>;
}

export interface LatestOfBrandInput {
  brand: string;
}

export interface CreateBrandContainerInput {
  name: string;
}

export interface CreateBrandInput {
  brand: NewBrand;
  container: CreateBrandContainerInput;
}

export interface DropBrandNameInput {
  name: string;
}

export interface BrandInput {
  brand: string;
}

export interface BrandsInput {}

export interface UnlikeBrandInput {
  brand: string;
  username: string;
}

export interface FrontPageInput {}

export interface CachedDealsInput {}

export interface DropMessagesInput {
  username: string;
  messageId: string;
}

export interface MessagesInput {
  username: string;
}

export interface UnreadMessagesInput {
  username: string;
}

export interface MarkReadInput {
  username: string;
  messageId: string;
}

export interface MarkUnreadInput {
  username: string;
  messageId: string;
}

export interface TouchRepoInput {
  owner: string;
  repo: string;
  updatedAt: string;
}

export interface RepoInput {
  owner: string;
  repo: string;
}

export interface RepoForksInput {
  owner: string;
  repo: string;
}

export interface ReposOfOwnerInput {
  owner: string;
}

export interface ForksOfInput {
  repo: string;
  upstream: string;
}

export interface SetIssueStatusInput {
  owner: string;
  repo: string;
  number: number;
  status: 'Open' | 'Closed';
}

export interface ReactInput {
  owner: string;
  repo: string;
  number: number;
  kind: 'Heart' | 'Rocket';
}

export interface IssueInput {
  owner: string;
  repo: string;
  number: number;
}

export interface RepoWithIssuesInput {
  owner: string;
  repo: string;
  status?: 'Open' | 'Closed';
}

export interface RepoWithIssuesResult {
  repo: Repo | undefined;
  issues: Issue[];
  cursor: Cursor | undefined;
}

export interface RepoWithStarsInput {
  owner: string;
  repo: string;
}

export interface RepoWithStarsResult {
  repo: Repo | undefined;
  stars: Star[];
  cursor: Cursor | undefined;
}

export interface RepoWithOpenIssuesInput {
  owner: string;
  repo: string;
}

export interface RepoWithOpenIssuesResult {
  repo: Repo | undefined;
  issues: Issue[];
  cursor: Cursor | undefined;
}

export interface RepoWithClosedIssuesInput {
  owner: string;
  repo: string;
}

export interface RepoWithClosedIssuesResult {
  repo: Repo | undefined;
  issues: Issue[];
  cursor: Cursor | undefined;
}

export interface MatchesOfInput {
  user: string;
}

export interface StaleMatchesInput {
  lastSeenAt?: Interval<string>;
}

export interface SeenInput {
  matchId: string;
  lastSeenAt: string;
}

export interface SessionInput {
  token: string;
}

export interface SessionsOfInput {
  username: string;
}

export interface EndSessionsInput {
  token: string;
}

export interface EditDocumentInput {
  documentId: string;
  body: string;
  version: number;
}

export interface DocumentInput {
  documentId: string;
}

export interface DocumentsInput {
  documentId: string;
}

export interface ReadingsInput {
  device: string;
  at?: Interval<number>;
}

export interface TicketsOfInput {
  org: string;
  region: string;
  state: string;
  updatedAt?: Interval<string>;
}

export interface TicketIdsInput {
  org: string;
}

export interface EverySessionInput {}

export interface MixedPatterns {
  /** PutItem on Mixed */
  readonly createDeal: Write<NewDeal, Deal>;
  /** UpdateItem on Mixed */
  readonly editDeal: Write<EditDealInput, Deal>;
  /** Query on GSI1 */
  readonly latestDeals: ReadMany<LatestDealsInput, Deal>;
  /** Query on GSI1 */
  readonly dealsBetween: ReadMany<DealsBetweenInput, Deal>;
  /** Query on GSI2 */
  readonly latestOfBrand: ReadMany<LatestOfBrandInput, Deal>;
  /** TransactWriteItems on Mixed */
  readonly createBrand: Write<CreateBrandInput, void>;
  /** UpdateItem on Mixed */
  readonly dropBrandName: Write<DropBrandNameInput, void>;
  /** GetItem on Mixed */
  readonly brand: ReadOne<BrandInput, Brand>;
  /** GetItem on Mixed */
  readonly brands: ReadOne<BrandsInput, Brands>;
  /** TransactWriteItems on Mixed */
  readonly likeBrand: Write<NewBrandLike, BrandLike>;
  /** TransactWriteItems on Mixed */
  readonly unlikeBrand: Write<UnlikeBrandInput, void>;
  /** UpdateItem on Mixed */
  readonly setFrontPage: Write<NewFrontPage, void>;
  /** GetItem on Mixed */
  readonly frontPage: ReadOne<FrontPageInput, FrontPage>;
  /** TransactWriteItems on Mixed */
  readonly fillCache: Write<NewDealsCache, DealsCache>;
  /** BatchWriteItem on Mixed */
  readonly refillCache: Write<NewDealsCache, DealsCache>;
  /** GetItem on Mixed */
  readonly cachedDeals: ReadOne<CachedDealsInput, DealsCache>;
  /** PutItem on Mixed */
  readonly sendMessage: Write<NewMessage, Message>;
  /** BatchWriteItem on Mixed */
  readonly sendMessages: Write<readonly NewMessage[], Message[]>;
  /** BatchWriteItem on Mixed */
  readonly dropMessages: Write<readonly DropMessagesInput[], void>;
  /** Query on Mixed */
  readonly messages: ReadMany<MessagesInput, Message>;
  /** Query on GSI1 */
  readonly unreadMessages: ReadMany<UnreadMessagesInput, Message>;
  /** UpdateItem on Mixed */
  readonly markRead: Write<MarkReadInput, void>;
  /** UpdateItem on Mixed */
  readonly markUnread: Write<MarkUnreadInput, void>;
  /** TransactWriteItems on Mixed */
  readonly createRepo: Write<NewRepo, Repo>;
  /** UpdateItem on Mixed */
  readonly touchRepo: Write<TouchRepoInput, Repo>;
  /** GetItem on Mixed */
  readonly repo: ReadOne<RepoInput, Repo>;
  /** GetItem on Mixed */
  readonly repoForks: ReadOne<RepoForksInput, Pick<Repo, 'forks' | 'originalOwner'>>;
  /** Query on GSI3 */
  readonly reposOfOwner: ReadMany<ReposOfOwnerInput, Repo>;
  /** Query on GSI2 */
  readonly forksOf: ReadMany<ForksOfInput, Repo>;
  /** UpdateItem then PutItem on Mixed */
  readonly openIssue: Write<NewIssue, Issue>;
  /** UpdateItem on Mixed */
  readonly setIssueStatus: Write<SetIssueStatusInput, void>;
  /** UpdateItem on Mixed */
  readonly react: Write<ReactInput, void>;
  /** GetItem on Mixed */
  readonly issue: ReadOne<IssueInput, Issue>;
  /** Query on Mixed */
  readonly repoWithIssues: ReadCollection<RepoWithIssuesInput, RepoWithIssuesResult>;
  /** Query on Mixed */
  readonly repoWithStars: ReadCollection<RepoWithStarsInput, RepoWithStarsResult>;
  /** Query on GSI1 */
  readonly repoWithOpenIssues: ReadCollection<RepoWithOpenIssuesInput, RepoWithOpenIssuesResult>;
  /** Query on GSI1 */
  readonly repoWithClosedIssues: ReadCollection<RepoWithClosedIssuesInput, RepoWithClosedIssuesResult>;
  /** TransactWriteItems on Mixed */
  readonly star: Write<NewStar, Star>;
  /** PutItem on Mixed */
  readonly createMatch: Write<NewMatch, Match>;
  /** Query on GSI1 and GSI2 */
  readonly matchesOf: ReadMany<MatchesOfInput, Match>;
  /** Query on GSI3 */
  readonly staleMatches: ReadMany<StaleMatchesInput, Match>;
  /** UpdateItem on Mixed */
  readonly seen: Write<SeenInput, void>;
  /** PutItem on Mixed */
  readonly startSession: Write<NewSession, Session>;
  /** GetItem on Mixed */
  readonly session: ReadOne<SessionInput, Session>;
  /** Query on GSI1 */
  readonly sessionsOf: ReadMany<SessionsOfInput, Session>;
  /** DeleteItem on Mixed */
  readonly endSessions: Write<EndSessionsInput, Session | undefined>;
  /** PutItem on Mixed */
  readonly createDocument: Write<NewDocument, Document>;
  /** UpdateItem on Mixed */
  readonly editDocument: Write<EditDocumentInput, Document>;
  /** GetItem on Mixed */
  readonly document: ReadOne<DocumentInput, Document>;
  /** BatchGetItem on Mixed */
  readonly documents: ReadEach<DocumentsInput, Document>;
  /** PutItem on Readings */
  readonly putReading: Write<NewReading, Reading>;
  /** Query on Readings */
  readonly readings: ReadMany<ReadingsInput, Reading>;
  /** PutItem on Mixed */
  readonly createTicket: Write<NewTicket, Ticket>;
  /** Query on ByOrg */
  readonly ticketsOf: ReadMany<TicketsOfInput, Ticket>;
  /** Query on KeysOnly */
  readonly ticketIds: ReadMany<TicketIdsInput, Pick<Ticket, 'org' | 'ticketId'>>;
  /** Scan on GSI1 */
  readonly everySession: ReadMany<EverySessionInput, Session>;
}

/** Makes the patterns callable. */
export declare function connect(options: ConnectOptions): MixedPatterns;
