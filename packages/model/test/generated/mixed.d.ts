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

export type LatestDealsInput = Readonly<Record<string, never>>;

export interface DealsBetweenInput {
  dealId?: Interval<string> | undefined;
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

export type BrandsInput = Readonly<Record<string, never>>;

export interface UnlikeBrandInput {
  brand: string;
  username: string;
}

export type FrontPageInput = Readonly<Record<string, never>>;

export type CachedDealsInput = Readonly<Record<string, never>>;

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
  status?: 'Open' | 'Closed' | undefined;
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
  lastSeenAt?: Interval<string> | undefined;
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
  version: number;
  body: string;
}

export interface DocumentInput {
  documentId: string;
}

export interface DocumentsInput {
  documentId: string;
}

export interface ReadingsInput {
  device: string;
  at?: Interval<number> | undefined;
}

export interface TicketsOfInput {
  org: string;
  region: string;
  state: string;
  updatedAt?: Interval<string> | undefined;
}

export interface TicketIdsInput {
  org: string;
}

export type EverySessionInput = Readonly<Record<string, never>>;

export interface MixedPatterns {
  /**
   * PutItem on Mixed.
   * Writes PK = DEAL#{dealId}, SK = DEAL#{dealId}; GSI1: GSI1PK = DEALS#{dealId:ksuid:day}, GSI1SK = DEAL#{dealId}; GSI2: GSI2PK = BRAND#{brand:upper}#{dealId:ksuid:day}, GSI2SK = DEAL#{dealId}.
   * Takes about 3 write units.
   */
  readonly createDeal: Write<NewDeal, Deal>;
  /**
   * UpdateItem on Mixed.
   * Writes PK = DEAL#{dealId}, SK = DEAL#{dealId}.
   * Takes about 3 write units.
   */
  readonly editDeal: Write<EditDealInput, Deal>;
  /**
   * Query on GSI1, GSI1PK = DEALS#{dealId} AND begins_with(GSI1SK, DEAL#), descending, 3 items a page, 5 requests.
   * Takes about 1 read unit.
   */
  readonly latestDeals: ReadMany<LatestDealsInput, Deal>;
  /**
   * Query on GSI1, GSI1PK = DEALS#{dealId} AND GSI1SK BETWEEN DEAL#{from} AND DEAL#{to}, descending, 3 items a page, 5 requests.
   * Takes about 1 read unit.
   */
  readonly dealsBetween: ReadMany<DealsBetweenInput, Deal>;
  /**
   * Query on GSI2, GSI2PK = BRAND#{brand}#{dealId} AND begins_with(GSI2SK, DEAL#), descending, 3 items a page, 5 requests.
   * Takes about 1 read unit.
   */
  readonly latestOfBrand: ReadMany<LatestOfBrandInput, Deal>;
  /**
   * TransactWriteItems on Mixed.
   * Writes PK = BRAND#{brand:upper}, SK = BRAND#{brand:upper}; PK = BRANDS, SK = BRANDS.
   * Takes about 4 write units.
   */
  readonly createBrand: Write<CreateBrandInput, void>;
  /**
   * UpdateItem on Mixed.
   * Writes PK = BRANDS, SK = BRANDS.
   * Takes about 1 write unit.
   */
  readonly dropBrandName: Write<DropBrandNameInput, void>;
  /**
   * GetItem on Mixed, PK = BRAND#{brand} AND SK = BRAND#{brand}.
   * Takes about 0.5 read units.
   */
  readonly brand: ReadOne<BrandInput, Brand>;
  /**
   * GetItem on Mixed, PK = BRANDS AND SK = BRANDS.
   * Takes about 0.5 read units.
   */
  readonly brands: ReadOne<BrandsInput, Brands>;
  /**
   * TransactWriteItems on Mixed.
   * Writes PK = BRANDLIKE#{brand:upper}#{username}, SK = BRANDLIKE#{brand:upper}#{username}; PK = BRAND#{brand:upper}, SK = BRAND#{brand:upper}.
   * Takes about 4 write units.
   */
  readonly likeBrand: Write<NewBrandLike, BrandLike>;
  /**
   * TransactWriteItems on Mixed.
   * Writes PK = BRANDLIKE#{brand:upper}#{username}, SK = BRANDLIKE#{brand:upper}#{username}; PK = BRAND#{brand:upper}, SK = BRAND#{brand:upper}.
   * Takes about 4 write units.
   */
  readonly unlikeBrand: Write<UnlikeBrandInput, void>;
  /**
   * UpdateItem on Mixed.
   * Writes PK = FRONTPAGE, SK = FRONTPAGE.
   * Takes about 1 write unit.
   */
  readonly setFrontPage: Write<NewFrontPage, void>;
  /**
   * GetItem on Mixed, PK = FRONTPAGE AND SK = FRONTPAGE.
   * Takes about 0.5 read units.
   */
  readonly frontPage: ReadOne<FrontPageInput, FrontPage>;
  /**
   * TransactWriteItems on Mixed.
   * Writes PK = DEALSCACHE#{copy}, SK = DEALSCACHE#{copy}.
   * Takes about 6 write units.
   */
  readonly fillCache: Write<NewDealsCache, DealsCache>;
  /**
   * BatchWriteItem on Mixed.
   * Writes PK = DEALSCACHE#{copy}, SK = DEALSCACHE#{copy}.
   * Takes about 3 write units.
   */
  readonly refillCache: Write<NewDealsCache, DealsCache>;
  /**
   * GetItem on Mixed, PK = DEALSCACHE#{copy} AND SK = DEALSCACHE#{copy}.
   * Takes about 0.5 read units.
   */
  readonly cachedDeals: ReadOne<CachedDealsInput, DealsCache>;
  /**
   * PutItem on Mixed.
   * Writes PK = MESSAGES#{username}, SK = MESSAGE#{messageId}; GSI1: GSI1PK = MESSAGES#{username}, GSI1SK = MESSAGE#{messageId} when unread is true.
   * Takes about 2 write units.
   */
  readonly sendMessage: Write<NewMessage, Message>;
  /**
   * BatchWriteItem on Mixed.
   * Writes PK = MESSAGES#{username}, SK = MESSAGE#{messageId}; GSI1: GSI1PK = MESSAGES#{username}, GSI1SK = MESSAGE#{messageId} when unread is true.
   * Takes about 20 write units.
   */
  readonly sendMessages: Write<readonly NewMessage[], Message[]>;
  /**
   * BatchWriteItem on Mixed.
   * Writes PK = MESSAGES#{username}, SK = MESSAGE#{messageId}.
   * Takes about 20 write units.
   */
  readonly dropMessages: Write<readonly DropMessagesInput[], void>;
  /**
   * Query on Mixed, PK = MESSAGES#{username} AND begins_with(SK, MESSAGE#), descending, 25 items a page.
   * Takes about 1 read unit.
   */
  readonly messages: ReadMany<MessagesInput, Message>;
  /**
   * Query on GSI1, GSI1PK = MESSAGES#{username} AND begins_with(GSI1SK, MESSAGE#), descending.
   * Takes about 0.5 read units.
   */
  readonly unreadMessages: ReadMany<UnreadMessagesInput, Message>;
  /**
   * UpdateItem on Mixed.
   * Writes PK = MESSAGES#{username}, SK = MESSAGE#{messageId}; GSI1: GSI1PK = MESSAGES#{username}, GSI1SK = MESSAGE#{messageId} when unread is true.
   * Takes about 3 write units.
   */
  readonly markRead: Write<MarkReadInput, void>;
  /**
   * UpdateItem on Mixed.
   * Writes PK = MESSAGES#{username}, SK = MESSAGE#{messageId}; GSI1: GSI1PK = MESSAGES#{username}, GSI1SK = MESSAGE#{messageId} when unread is true.
   * Takes about 3 write units.
   */
  readonly markUnread: Write<MarkUnreadInput, void>;
  /**
   * TransactWriteItems on Mixed.
   * Writes PK = REPO#{owner}#{repo}, SK = REPO#{owner}#{repo}; GSI1: GSI1PK = REPO#{owner}#{repo}, GSI1SK = #REPO#{owner}#{repo}; GSI2: GSI2PK = REPO#{originalOwner}#{repo}, GSI2SK = FORK#{owner} when originalOwner is {"exists":true}; GSI3: GSI3PK = ACCOUNT#{owner}, GSI3SK = #{updatedAt:utc}.
   * Takes about 10 write units.
   */
  readonly createRepo: Write<NewRepo, Repo>;
  /**
   * UpdateItem on Mixed.
   * Writes PK = REPO#{owner}#{repo}, SK = REPO#{owner}#{repo}; GSI3: GSI3PK = ACCOUNT#{owner}, GSI3SK = #{updatedAt:utc}.
   * Takes about 5 write units.
   */
  readonly touchRepo: Write<TouchRepoInput, Repo>;
  /**
   * GetItem on Mixed, PK = REPO#{owner}#{repo} AND SK = REPO#{owner}#{repo}.
   * Takes about 0.5 read units.
   */
  readonly repo: ReadOne<RepoInput, Repo>;
  /**
   * GetItem on Mixed, PK = REPO#{owner}#{repo} AND SK = REPO#{owner}#{repo}.
   * Takes about 0.5 read units.
   */
  readonly repoForks: ReadOne<RepoForksInput, Pick<Repo, 'forks' | 'originalOwner'>>;
  /**
   * Query on GSI3, GSI3PK = ACCOUNT#{owner} AND begins_with(GSI3SK, #), descending.
   * Takes about 0.5 read units.
   */
  readonly reposOfOwner: ReadMany<ReposOfOwnerInput, Repo>;
  /**
   * Query on GSI2, GSI2PK = REPO#{upstream}#{repo} AND begins_with(GSI2SK, FORK#), ascending.
   * Takes about 0.5 read units.
   */
  readonly forksOf: ReadMany<ForksOfInput, Repo>;
  /**
   * UpdateItem then PutItem on Mixed, 2 requests.
   * Writes PK = REPO#{owner}#{repo}, SK = ISSUE#{number:07}; GSI1: GSI1PK = REPO#{owner}#{repo}, GSI1SK = ISSUE#OPEN#{number:inverse8} when status is Open; GSI1: GSI1PK = REPO#{owner}#{repo}, GSI1SK = #ISSUE#CLOSED#{number:08} when status is Closed; PK = REPO#{owner}#{repo}, SK = REPO#{owner}#{repo}.
   * Takes about 6 write units.
   */
  readonly openIssue: Write<NewIssue, Issue>;
  /**
   * UpdateItem on Mixed.
   * Writes PK = REPO#{owner}#{repo}, SK = ISSUE#{number:07}; GSI1: GSI1PK = REPO#{owner}#{repo}, GSI1SK = ISSUE#OPEN#{number:inverse8} when status is Open; GSI1: GSI1PK = REPO#{owner}#{repo}, GSI1SK = #ISSUE#CLOSED#{number:08} when status is Closed.
   * Takes about 3 write units.
   */
  readonly setIssueStatus: Write<SetIssueStatusInput, void>;
  /**
   * UpdateItem on Mixed.
   * Writes PK = REPO#{owner}#{repo}, SK = ISSUE#{number:07}.
   * Takes about 2 write units.
   */
  readonly react: Write<ReactInput, void>;
  /**
   * GetItem on Mixed, PK = REPO#{owner}#{repo} AND SK = ISSUE#{number}.
   * Takes about 0.5 read units.
   */
  readonly issue: ReadOne<IssueInput, Issue>;
  /**
   * Query on Mixed, PK = REPO#{owner}#{repo} AND SK BETWEEN ISSUE# AND REPO#{owner}#{repo}, descending, 2 items a page.
   * Filtered by status.
   * Takes about 0.5 read units.
   */
  readonly repoWithIssues: ReadCollection<RepoWithIssuesInput, RepoWithIssuesResult>;
  /**
   * Query on Mixed, PK = REPO#{owner}#{repo} AND SK BETWEEN REPO#{owner}#{repo} AND STAR#…, ascending.
   * Takes about 0.5 read units.
   */
  readonly repoWithStars: ReadCollection<RepoWithStarsInput, RepoWithStarsResult>;
  /**
   * Query on GSI1, GSI1PK = REPO#{owner}#{repo} AND GSI1SK BETWEEN #REPO#{owner}#{repo} AND ISSUE#OPEN#…, ascending, 25 items a page.
   * Takes about 1 read unit.
   */
  readonly repoWithOpenIssues: ReadCollection<RepoWithOpenIssuesInput, RepoWithOpenIssuesResult>;
  /**
   * Query on GSI1, GSI1PK = REPO#{owner}#{repo} AND GSI1SK BETWEEN #ISSUE#CLOSED# AND #REPO#{owner}#{repo}, descending, 25 items a page.
   * Takes about 1 read unit.
   */
  readonly repoWithClosedIssues: ReadCollection<RepoWithClosedIssuesInput, RepoWithClosedIssuesResult>;
  /**
   * TransactWriteItems on Mixed.
   * Writes PK = REPO#{owner}#{repo}, SK = STAR#{username}.
   * Takes about 4 write units.
   */
  readonly star: Write<NewStar, Star>;
  /**
   * PutItem on Mixed.
   * Writes PK = match:{matchId}, SK = root; GSI1: GSI1PK = user:{user1}, GSI1SK = {matchedAt:seconds}; GSI2: GSI2PK = user:{user2}, GSI2SK = {matchedAt:seconds}; GSI3: GSI3PK = Match#{matchId:shard4}, GSI3SK = {lastSeenAt:seconds}.
   * Takes about 4 write units.
   */
  readonly createMatch: Write<NewMatch, Match>;
  /**
   * Query on GSI1 and GSI2, GSI1PK = user:{user} | GSI2PK = user:{user}, descending, 2 items a page, 2 requests.
   * Takes about 1 read unit.
   */
  readonly matchesOf: ReadMany<MatchesOfInput, Match>;
  /**
   * Query on GSI3, GSI3PK = Match#{matchId} AND GSI3SK BETWEEN {from} AND {to}, ascending, 5 items a page, 4 requests.
   * Takes about 2 read units.
   */
  readonly staleMatches: ReadMany<StaleMatchesInput, Match>;
  /**
   * UpdateItem on Mixed.
   * Writes PK = match:{matchId}, SK = root; GSI3: GSI3PK = Match#{matchId:shard4}, GSI3SK = {lastSeenAt:seconds}.
   * Takes about 5 write units.
   */
  readonly seen: Write<SeenInput, void>;
  /**
   * PutItem on Mixed.
   * Writes PK = SESSION#{token}, SK = SESSION#{token}; GSI1: GSI1PK = USER#{username}, GSI1SK = SESSION#{token}.
   * Takes about 2 write units.
   */
  readonly startSession: Write<NewSession, Session>;
  /**
   * GetItem on Mixed, PK = SESSION#{token} AND SK = SESSION#{token}.
   * Takes about 0.5 read units.
   */
  readonly session: ReadOne<SessionInput, Session>;
  /**
   * Query on GSI1, GSI1PK = USER#{username} AND begins_with(GSI1SK, SESSION#), ascending.
   * Takes about 0.5 read units.
   */
  readonly sessionsOf: ReadMany<SessionsOfInput, Session>;
  /**
   * DeleteItem on Mixed.
   * Writes PK = SESSION#{token}, SK = SESSION#{token}.
   * Takes about 2 write units.
   */
  readonly endSessions: Write<EndSessionsInput, Session | undefined>;
  /**
   * PutItem on Mixed.
   * Writes PK = DOCUMENT#{documentId}, SK = DOCUMENT#{documentId}.
   * Takes about 1 write unit.
   */
  readonly createDocument: Write<NewDocument, Document>;
  /**
   * UpdateItem on Mixed.
   * Writes PK = DOCUMENT#{documentId}, SK = DOCUMENT#{documentId}.
   * Takes about 1 write unit.
   */
  readonly editDocument: Write<EditDocumentInput, Document>;
  /**
   * GetItem on Mixed, PK = DOCUMENT#{documentId} AND SK = DOCUMENT#{documentId}.
   * Takes about 0.5 read units.
   */
  readonly document: ReadOne<DocumentInput, Document>;
  /**
   * BatchGetItem on Mixed, PK = DOCUMENT#{documentId} AND SK = DOCUMENT#{documentId}.
   * Takes about 5 read units.
   */
  readonly documents: ReadEach<DocumentsInput, Document>;
  /**
   * PutItem on Readings.
   * Writes device = {device}, at = {at}.
   * Takes about 1 write unit.
   */
  readonly putReading: Write<NewReading, Reading>;
  /**
   * Query on Readings, device = {device} AND at BETWEEN {from} AND {to}, descending.
   * Takes about 0.5 read units.
   */
  readonly readings: ReadMany<ReadingsInput, Reading>;
  /**
   * PutItem on Mixed.
   * Writes PK = TICKET#{ticketId}, SK = TICKET#{ticketId}; ByOrg: org = {org}, region = {region}, state = {state}, updatedAt = {updatedAt}; KeysOnly: KPK = ORG#{org}, KSK = TICKET#{ticketId}.
   * Takes about 3 write units.
   */
  readonly createTicket: Write<NewTicket, Ticket>;
  /**
   * Query on ByOrg, org = {org} AND region = {region} AND state = {state} AND updatedAt BETWEEN {from} AND {to}, descending.
   * Takes about 0.5 read units.
   */
  readonly ticketsOf: ReadMany<TicketsOfInput, Ticket>;
  /**
   * Query on KeysOnly, KPK = ORG#{org} AND begins_with(KSK, TICKET#), ascending.
   * Takes about 0.5 read units.
   */
  readonly ticketIds: ReadMany<TicketIdsInput, Pick<Ticket, 'org' | 'ticketId'>>;
  /**
   * Scan on GSI1.
   * Takes about 128 read units.
   */
  readonly everySession: ReadMany<EverySessionInput, Session>;
}

/** Makes the patterns callable. */
export declare function connect(options: ConnectOptions): MixedPatterns;
