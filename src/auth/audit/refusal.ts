import type { App, Caller } from '../../kernel/app/app.ts';
import { type AppError, Forbidden } from '../../kernel/errors.ts';
import { storable } from '../../kernel/input/text.ts';
import { slot } from '../../kernel/slot.ts';
import { auditQueueWritten, queueAudit } from './background.ts';

const WINDOW_MS = 60_000;
/** Rows of one kind from one source, or of one principal at one place, within a window; then they count. */
const MAX_OF_ONE = 10;
/** Rows of the principals of a tenant, and those about it from callers that are not known, within a window. */
const MAX_OF_ALL = 60;
/** What counts beyond them, each a row at the end of the window; the rest of it is one row together. */
const MAX_COUNTED = 20;
const MAX_SOURCES = 10_000;
const MAX_TEXT = 256;

/** Something that was asked for and refused. */
export type Refusal = {
  door: 'rest' | 'mcp' | 'chat' | 'oauth' | 'login';
  /** Null: not known. */
  who: Pick<Caller, 'tenantId' | 'principalId' | 'principalType'> | null;
  /** As of a `BackgroundRow`. */
  credential?: string;
  source: string;
  action?: 'DENY' | 'LOGIN';
  status?: 'DENIED' | 'FAILED';
  /** ROUTE, TOOL, CREDENTIAL, OAUTH_CLIENT, TENANT or LOCAL_CREDENTIAL. */
  resourceType: string;
  resourceId?: string;
  /** The route or tool that was asked for, or what was shown in vain. */
  resourceName: string;
  errorCode: 'R401' | 'R403';
  /** In the words of the answer. */
  reason: string;
  detail?: Record<string, unknown>;
};

/** `first` of those that have no row, and how many they are. */
type Counted = { first: Refusal; more: number };

/** What was refused in the present window. */
export const REFUSALS = slot(() => ({
  /** Rows by `keyOf` and by `bucketOf`. */
  written: new Map<string, number>(),
  all: new Map<string, number>(),
  counted: new Map<string, Counted>(),
  /** Denials that have their row, by the error that tells the caller. */
  noted: new WeakSet<Error>(),
  cancel: null as (() => void) | null,
  /** Agents that asked for what only people may do, by tenant and principal, and the note of the last one. */
  tried: new Set<string>(),
  noting: Promise.resolve(),
}));

/** Keeps a refusal as an audit row, in the background; a flood becomes a few rows and a count per minute. */
export function noteRefusal(app: App, refusal: Refusal): void {
  const book = app.of(REFUSALS);
  book.cancel ??= app.clock.after(WINDOW_MS, () => endWindow(app));
  const of = bucketOf(refusal);
  const key = keyOf(refusal);
  const written = book.written.get(key) ?? 0;
  const all = book.all.get(of) ?? 0;
  const isKnown = written > 0 || book.written.size < MAX_SOURCES;
  if (written >= MAX_OF_ONE || all >= MAX_OF_ALL || !isKnown) return count(app, key, refusal);
  book.written.set(key, written + 1);
  book.all.set(of, all + 1);
  queueAudit(app, rowOf(app, refusal));
}

/** A failed login names a principal, and is not that principal's. */
const isAnonymous = ({ who, status }: Refusal): boolean => who === null || status === 'FAILED';

/** What others send in vain takes no place of the rows about the principals of a tenant. */
const bucketOf = (refusal: Refusal): string =>
  `${isAnonymous(refusal) ? 'from ' : ''}${refusal.who?.tenantId ?? ''}`;

const keyOf = (refusal: Refusal): string => {
  const { who, source, resourceType, resourceName } = refusal;
  return isAnonymous(refusal)
    ? `${who?.tenantId ?? ''} ${source} ${resourceType}`
    : `${who?.tenantId} ${who?.principalId} ${resourceName}`;
};

/** Of a tenant's refusals, and of those without a principal, all but the first few count together. */
function count(app: App, key: string, refusal: Refusal): void {
  const { counted } = app.of(REFUSALS);
  const of = bucketOf(refusal);
  const isOwn = counted.has(key) || counted.size < MAX_COUNTED;
  const place = isOwn ? key : `others of ${of}`;
  const known = counted.get(place);
  if (known) known.more += 1;
  else counted.set(place, { first: isOwn ? refusal : others(refusal), more: 1 });
}

const others = (refusal: Refusal): Refusal => ({
  ...refusal,
  who: refusal.who && {
    tenantId: refusal.who.tenantId,
    principalId: '0',
    principalType: 'SYSTEM',
  },
  credential: '',
  source: '',
  resourceId: '',
  resourceName: 'several',
  reason: 'several, from more than one source or principal',
  detail: {},
});

function endWindow(app: App): void {
  const book = app.of(REFUSALS);
  book.cancel?.();
  book.cancel = null;
  for (const { first, more } of book.counted.values())
    queueAudit(app, rowOf(app, { ...first, detail: { ...first.detail, more } }));
  book.written.clear();
  book.all.clear();
  book.counted.clear();
  book.tried.clear();
}

/** Resolves when what was refused so far is written with its counts, or its write has failed. */
export async function refusalsWritten(app: App): Promise<void> {
  await app.of(REFUSALS).noting;
  endWindow(app);
  return auditQueueWritten(app);
}

const rowOf = (app: App, { door, reason, detail, ...refusal }: Refusal) => ({
  credential: '',
  action: 'DENY',
  status: 'DENIED' as const,
  ...refusal,
  detail: { door, reason: storable(reason.slice(0, MAX_TEXT)), ...detail },
  at: app.clock.now(),
});

/** Notes that a caller was denied something once for the error that tells it so. */
export function noteDenied(
  app: App,
  caller: Caller,
  error: AppError,
  {
    door,
    source,
    resourceType,
    resourceName,
  }: Pick<Refusal, 'door' | 'source' | 'resourceType' | 'resourceName'>,
): void {
  const { noted } = app.of(REFUSALS);
  if (!(error instanceof Forbidden) || noted.has(error)) return;
  noted.add(error);
  const { via, clientId, name } = caller;
  noteRefusal(app, {
    door,
    who: caller,
    source,
    resourceType,
    resourceName,
    errorCode: 'R403',
    reason: error.message,
    detail: { via, name, ...(clientId !== undefined && { clientId }) },
  });
}
