/**
 * The reserved words of PartiQL. In any case they are not names, unless in double quotes: `"date"`. Three are recorded:
 * `inner` and `size`, which the service refuses as names, and `only`, which it accepts. The others are assumed to be those
 * of the open PartiQL parser.
 *
 * @see PartiQL specification, and SQL-92, "Reserved words"
 */
const reservedWords =
  'absolute action add all allocate alter and any are as asc assertion at authorization avg bag begin between bigint bit ' +
  'bit_length blob bool boolean by can_cast can_lossless_cast cascade cascaded case cast catalog char char_length ' +
  'character character_length check clob close coalesce collate collation column commit conflict connect connection ' +
  'constraint constraints continue convert corresponding count create cross current current_date current_time ' +
  'current_timestamp current_user cursor date date_add date_diff deallocate dec decimal declare default deferrable ' +
  'deferred delete desc describe descriptor diagnostics disconnect distinct do domain double drop else end escape except ' +
  'exception exec execute exists external extract false fetch first float for foreign found from full get global go goto ' +
  'grant group having identity immediate in index indicator initially inner input insensitive insert int int2 int4 int8 ' +
  'integer integer2 integer4 integer8 intersect interval into is isolation join key language last left let level like ' +
  'limit list local lower match max min missing modified module names national natural nchar new next no not ' +
  'nothing null nullif numeric octet_length of offset old on open option or order outer output overlaps pad partial ' +
  'pivot position precision prepare preserve primary prior privileges procedure public read real references relative ' +
  'remove restrict returning revoke right rollback rows schema scroll section select session session_user set sexp size ' +
  'smallint some space sql sqlcode sqlerror sqlstate string struct substring sum symbol system_user table temporary then ' +
  'time timestamp to transaction translate translation trim true tuple union unique unknown unpivot update upper usage ' +
  'user using value values varchar varying view when whenever where with work write zone';

const reserved: ReadonlySet<string> = new Set(reservedWords.split(' '));

export function isReservedWord(lowerCaseWord: string): boolean {
  return reserved.has(lowerCaseWord);
}

/** Reserved words that name a function when a parenthesis follows. */
export const functionKeywords: ReadonlySet<string> = new Set([
  'exists',
  'count',
  'avg',
  'max',
  'min',
  'sum',
  'char_length',
  'character_length',
  'octet_length',
  'bit_length',
  'upper',
  'lower',
  'size',
  'sexp',
  'list',
  'bag',
]);

/** Words that are read together, by the first word. */
export const wordPairs: ReadonlyMap<string, readonly string[]> = new Map([
  ['not', ['in', 'between', 'like']],
  ['is', ['not']],
  ['character', ['varying']],
  ['double', ['precision']],
  ['insert', ['into']],
  ['modified', ['old', 'new']],
  ['all', ['old', 'new']],
]);

/** The types that IS can test: from the spelling to PartiQL's name. */
export const typeNames: ReadonlyMap<string, string> = new Map([
  ...(
    'missing null boolean smallint integer4 integer8 integer float real double_precision decimal numeric timestamp date ' +
    'time character character_varying string symbol clob blob struct tuple list sexp bag any'
  )
    .split(' ')
    .map((name) => [name, name] as const),
  ['varchar', 'character_varying'],
  ['char', 'character'],
  ['dec', 'decimal'],
  ['int', 'integer'],
  ['int2', 'smallint'],
  ['integer2', 'smallint'],
  ['int4', 'integer4'],
  ['int8', 'integer8'],
  ['bigint', 'integer8'],
  ['bool', 'boolean'],
]);
